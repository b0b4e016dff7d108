// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// shorten is the step that a policy which is applied as it is does not take.
var shorten = fmt.Sprintf("patched the policy's toleration from 60 s to %d s, to keep this short", toleration)

// failoverSteps returns the steps of the failover. Later steps use what earlier ones
// learned.
func (s *Scenario) failoverSteps() []step {
	var first, second, job string
	arrivals := map[string]chan arrival{}
	here := func(r dynamic.NamespaceableResourceInterface) dynamic.ResourceInterface {
		return r.Namespace("default")
	}
	hubFlinks := func() dynamic.ResourceInterface { return here(s.hub.Resource(flinks)) }
	hubBindings := func() dynamic.ResourceInterface { return here(s.hub.Resource(bindings)) }

	steps := []step{
		{"applied FlinkDeployment foo and the PropagationPolicy of the documentation, to the letter", func(ctx context.Context) (string, error) {
			return s.apply(ctx)
		}},
		{"saw the ResourceBinding with two components and a cluster", func(ctx context.Context) (string, error) {
			var seen string
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				components, _, _ := unstructured.NestedSlice(fieldsOf(o), "spec", "components")
				targets := targetsOf(o)
				if len(components) != 2 || len(targets) != 1 {
					return notYet("%d components, clusters %v", len(components), targets)
				}
				first = targets[0]
				seen = yamlOf(map[string]any{"components": components, "clusters": o.Object["spec"].(map[string]any)["clusters"]})
				return nil
			})
			return seen, err
		}},
		{"saw the object on that member, with the labels that say whose it is", func(ctx context.Context) (string, error) {
			var seen string
			err := see(ctx, s.memberFlinks(first), "foo", func(o *unstructured.Unstructured) error {
				if o == nil || o.GetLabels()["karmada.io/managed"] != "true" {
					return notYet("no managed FlinkDeployment foo on %s", first)
				}
				seen = first + "\n" + yamlOf(map[string]any{"labels": o.GetLabels()})
				return nil
			})
			return seen, err
		}},
		{"saw status and health come back to the binding and the template", func(ctx context.Context) (string, error) {
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				if h := healthIn(o, first); h != "Healthy" {
					return notYet("health in %s is %q", first, h)
				}
				return nil
			})
			if err != nil {
				return "", err
			}
			err = see(ctx, hubFlinks(), "foo", func(o *unstructured.Unstructured) error {
				if at(o, "status.jobStatus.state") != "RUNNING" {
					return notYet("the template's job is %q", at(o, "status.jobStatus.state"))
				}
				job = at(o, "status.jobStatus.jobID")
				return nil
			})
			return fmt.Sprintf("health Healthy, template status.jobStatus: state RUNNING, jobID %s", job), err
		}},
		{"saw a savepoint of the job: a FlinkStateSnapshot of the operator, reported as state", func(ctx context.Context) (string, error) {
			var seen string
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				if seen = stateIn(o, first)["flink.apache.org/savepoint"]; seen == "" {
					return notYet("the state of %s is %v", first, stateIn(o, first))
				}
				return nil
			})
			return seen, err
		}},
		{shorten, func(ctx context.Context) (string, error) {
			patch := fmt.Sprintf(`{"spec":{"failover":{"application":{"decisionConditions":{"tolerationSeconds":%d}}}}}`, toleration)
			_, err := here(s.hub.Resource(policies)).Patch(ctx, "foo", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return "", err
		}},
		{"made the job lose its job manager (the stand-in for the Flink operator reports it missing)", func(ctx context.Context) (string, error) {
			for _, m := range s.Fleet.Members {
				if m.Name != first {
					arrivals[m.Name] = s.awaitArrival(ctx, m.Name, job)
				}
			}
			patch := `{"metadata":{"annotations":{"stand-in.dragoman.io/fail":"true"}}}`
			_, err := s.memberFlinks(first).Patch(ctx, "foo", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			if err != nil {
				return "", err
			}
			return "", see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				if h := healthIn(o, first); h != "Unhealthy" {
					return notYet("health in %s is %q", first, h)
				}
				return nil
			})
		}},
		{"saw the eviction task, after the toleration, with the state it preserves", func(ctx context.Context) (string, error) {
			var seen string
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				for _, task := range tasksOf(o) {
					labels, _ := task["preservedLabelState"].(map[string]any)
					if task["fromCluster"] == first && labels[failoverLabel] == job {
						seen = yamlOf(map[string]any{"gracefulEvictionTasks": []any{task}})
						return nil
					}
				}
				return notYet("no task for %s that preserves job %s; tasks: %v", first, job, tasksOf(o))
			})
			return seen, err
		}},
		{"saw the copy go from the first member", func(ctx context.Context) (string, error) {
			return first, see(ctx, s.memberFlinks(first), "foo", func(o *unstructured.Unstructured) error {
				if o != nil {
					return notYet("it is still on %s", first)
				}
				return nil
			})
		}},
		{"saw the binding move to another cluster", func(ctx context.Context) (string, error) {
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				targets := targetsOf(o)
				if len(targets) != 1 || targets[0] == first {
					return notYet("clusters are %v", targets)
				}
				second = targets[0]
				return nil
			})
			return first + " -> " + second, err
		}},
		{"saw the copy there, with the label of the old job and the path of its last savepoint", func(ctx context.Context) (string, error) {
			a := <-arrivals[second]
			return a.seen, a.err
		}},
		{"saw the job run from that savepoint, the eviction end, and the path stay", func(ctx context.Context) (string, error) {
			err := see(ctx, hubBindings(), "foo-flinkdeployment", func(o *unstructured.Unstructured) error {
				if h := healthIn(o, second); h != "Healthy" || len(tasksOf(o)) > 0 {
					return notYet("health in %s is %q with %d tasks", second, h, len(tasksOf(o)))
				}
				return nil
			})
			if err != nil {
				return "", err
			}
			return "", see(ctx, s.memberFlinks(second), "foo", func(o *unstructured.Unstructured) error {
				if o == nil {
					return fmt.Errorf("the copy on %s is gone", second)
				}
				if _, injected := o.GetLabels()[failoverLabel]; injected {
					return notYet("the label is still there")
				}
				if path := at(o, "spec.job.initialSavepointPath"); path != s.Storage.Newest(job) {
					return fmt.Errorf("initialSavepointPath is %q, the last savepoint is %q", path, s.Storage.Newest(job))
				}
				if state := at(o, "status.jobStatus.state"); state != "RUNNING" {
					return fmt.Errorf("the job is %s: %s", state, at(o, "status.error"))
				}
				return nil
			})
		}},
	}
	return slices.DeleteFunc(steps, func(st step) bool { return st.what == shorten && s.Policy != nil })
}

// arrival is what the first version of a copy looked like.
type arrival struct {
	seen string
	err  error
}

// awaitArrival watches a member for the copy, and returns its first version. It
// begins before the copy can come, because the label goes once the job is healthy.
func (s *Scenario) awaitArrival(ctx context.Context, member, job string) chan arrival {
	out := make(chan arrival, 1)
	go func() {
		var seen string
		err := see(ctx, s.memberFlinks(member), "foo", func(o *unstructured.Unstructured) error {
			if o == nil {
				return notYet("no FlinkDeployment foo on %s", member)
			}
			label, path := o.GetLabels()[failoverLabel], at(o, "spec.job.initialSavepointPath")
			if label != job || path != s.Storage.Newest(job) {
				return fmt.Errorf("the label is %q and initialSavepointPath %q; want job %s and its last savepoint %q", label, path, job, s.Storage.Newest(job))
			}
			seen = fmt.Sprintf("%s\nlabels[%s]: %s\nspec.job.initialSavepointPath: %s", member, failoverLabel, label, path)
			return nil
		})
		out <- arrival{seen, err}
	}()
	return out
}

func (s *Scenario) apply(ctx context.Context) (string, error) {
	policy := policyYAML
	if s.Policy != nil {
		policy = s.Policy
	}
	return "", s.applyAll(ctx, policy, flinkYAML)
}

// applyAll creates objects in the namespace default of the control plane.
func (s *Scenario) applyAll(ctx context.Context, texts ...[]byte) error {
	for _, text := range texts {
		o, err := decode(text)
		if err != nil {
			return err
		}
		o.SetNamespace("default")
		if err := create(ctx, s.hub, o); err != nil {
			return err
		}
	}
	return nil
}

// memberFlinks are the FlinkDeployments of a member.
func (s *Scenario) memberFlinks(name string) dynamic.ResourceInterface {
	for _, m := range s.Fleet.Members {
		if m.Name == name {
			return flinksOf(m)
		}
	}
	panic("the scenario has no member " + name)
}

func flinksOf(c *fleet.Cluster) dynamic.ResourceInterface {
	return dynamic.NewForConfigOrDie(c.RESTConfig()).Resource(flinks).Namespace("default")
}

func fieldsOf(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return o.Object
}

// targetsOf lists the clusters of a binding.
func targetsOf(o *unstructured.Unstructured) []string {
	var names []string
	targets, _, _ := unstructured.NestedSlice(fieldsOf(o), "spec", "clusters")
	for _, t := range targets {
		if m, ok := t.(map[string]any); ok {
			names = append(names, fmt.Sprint(m["name"]))
		}
	}
	return names
}

// tasksOf lists the eviction tasks of a binding.
func tasksOf(o *unstructured.Unstructured) []map[string]any {
	var tasks []map[string]any
	all, _, _ := unstructured.NestedSlice(fieldsOf(o), "spec", "gracefulEvictionTasks")
	for _, t := range all {
		if m, ok := t.(map[string]any); ok {
			tasks = append(tasks, m)
		}
	}
	return tasks
}

// healthIn returns the health that a binding reports for a cluster.
func healthIn(o *unstructured.Unstructured, cluster string) string {
	items, _, _ := unstructured.NestedSlice(fieldsOf(o), "status", "aggregatedStatus")
	for _, i := range items {
		if m, ok := i.(map[string]any); ok && m["clusterName"] == cluster {
			return fmt.Sprint(m["health"])
		}
	}
	return ""
}

// stateIn returns the state that a binding reports for a cluster.
func stateIn(o *unstructured.Unstructured, cluster string) map[string]string {
	items, _, _ := unstructured.NestedSlice(fieldsOf(o), "status", "aggregatedStatus")
	for _, i := range items {
		if m, ok := i.(map[string]any); ok && m["clusterName"] == cluster {
			state, _, _ := unstructured.NestedStringMap(m, "state")
			return state
		}
	}
	return nil
}

func yamlOf(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
