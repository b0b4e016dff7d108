// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt with what is decided now")

// TestScenarios runs testdata/*.txt. A scenario is a list of steps, each a command
// (with more input on the lines below it), a line "----" and the expected
// output up to the next empty line. Lines before a command that start with "#"
// are comments.
//
//	clusters       a line each: name [resource=free ...] [label:key=value ...]
//	placement      the placement, as YAML
//	workload       replicas=N [resource=request ...]; 0 without requests: not a workload
//	components     a line each: name replicas [resource=request ...]
//	taint NAME key=value:Effect, untaint NAME, unjoin NAME, fill NAME resource=free ...
//	evict NAME     move the cluster from spec.clusters to gracefulEvictionTasks
//	evicted NAME   the task is done
//	schedule [fresh]   decide, and write the decision into the binding
//
// Run with -update to rewrite them. Only commit the changes if you understand
// what caused them.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := runScenario(string(want))
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// runScenario returns the scenario with its present outputs.
func runScenario(text string) (string, error) {
	s := &scenario{spec: deployment(0), status: &workv1alpha2.ResourceBindingStatus{}}
	var out bytes.Buffer
	for step := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		input, _, ran := strings.Cut(step, "\n----")
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintln(&out, input)
		if !ran {
			continue // a comment of its own
		}
		lines := slices.DeleteFunc(strings.Split(input, "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
		result, err := s.run(strings.Fields(lines[0]), lines[1:])
		if err != nil {
			return "", fmt.Errorf("%s: %w", lines[0], err)
		}
		fmt.Fprintf(&out, "----\n%s\n", result)
	}
	return out.String(), nil
}

type scenario struct {
	clusters []*clusterv1alpha1.Cluster
	spec     *workv1alpha2.ResourceBindingSpec
	status   *workv1alpha2.ResourceBindingStatus
}

func (s *scenario) run(command, lines []string) (string, error) {
	verb, args := command[0], command[1:]
	switch verb {
	case "clusters":
		for _, l := range lines {
			s.clusters = append(s.clusters, readCluster(strings.Fields(l)))
		}
	case "placement":
		s.spec.Placement = &policyv1alpha1.Placement{}
		if err := yaml.UnmarshalStrict([]byte(strings.Join(lines, "\n")), s.spec.Placement); err != nil {
			return "", err
		}
	case "workload":
		s.workload(args)
	case "components":
		s.spec.Components, s.spec.ReplicaRequirements = nil, nil
		for _, l := range lines {
			f := strings.Fields(l)
			s.spec.Components = append(s.spec.Components, component(f[0], count(f[1]), strings.Join(f[2:], " ")))
		}
	case "evict":
		s.spec.Clusters = slices.DeleteFunc(s.spec.Clusters, func(c workv1alpha2.TargetCluster) bool { return c.Name == args[0] })
		leaving(args[0])(s.spec)
	case "evicted":
		s.spec.GracefulEvictionTasks = slices.DeleteFunc(s.spec.GracefulEvictionTasks,
			func(g workv1alpha2.GracefulEvictionTask) bool { return g.FromCluster == args[0] })
	case "schedule":
		return s.schedule(len(args) > 0 && args[0] == "fresh"), nil
	default:
		return "ok", s.change(verb, args)
	}
	return "ok", nil
}

// change does something to one cluster.
func (s *scenario) change(verb string, args []string) error {
	i := slices.IndexFunc(s.clusters, func(c *clusterv1alpha1.Cluster) bool { return len(args) > 0 && c.Name == args[0] })
	if i < 0 {
		return fmt.Errorf("no such cluster in %v", args)
	}
	switch verb {
	case "taint":
		taint(args[1])(s.clusters[i])
	case "untaint":
		s.clusters[i].Spec.Taints = nil
	case "fill":
		has(strings.Join(args[1:], " "))(s.clusters[i])
	case "unjoin":
		s.clusters = slices.Delete(s.clusters, i, i+1)
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

func (s *scenario) workload(args []string) {
	requests := slices.DeleteFunc(args, func(a string) bool {
		n, ok := strings.CutPrefix(a, "replicas=")
		if ok {
			s.spec.Replicas = count(n)
		}
		return ok
	})
	s.spec.ReplicaRequirements.ResourceRequest = resources(strings.Join(requests, " "))
}

func (s *scenario) schedule(fresh bool) string {
	got, err := selectMeasured(Input{Spec: s.spec, Status: s.status, Clusters: s.clusters, Fresh: fresh})
	if err != nil {
		return kind(err)
	}
	s.spec.Clusters, s.status.SchedulerObservedAffinityName = got.Clusters, got.AffinityName
	var lines []string
	if got.AffinityName != "" {
		lines = append(lines, "group "+got.AffinityName)
	}
	for _, c := range got.Clusters {
		line := fmt.Sprintf("%s: %d", c.Name, c.Replicas)
		for i, part := range c.Components {
			if i == 0 {
				line = c.Name + ":"
			}
			line += fmt.Sprintf(" %s=%d", part.Name, part.Replicas)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func readCluster(fields []string) *clusterv1alpha1.Cluster {
	c := cluster(fields[0])
	var free []string
	for _, f := range fields[1:] {
		if l, ok := strings.CutPrefix(f, "label:"); ok {
			key, value, _ := strings.Cut(l, "=")
			label(key, value)(c)
			continue
		}
		free = append(free, f)
	}
	if len(free) > 0 {
		has(strings.Join(free, " "))(c)
	}
	return c
}

func count(s string) int32 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		panic(err)
	}
	return int32(n)
}
