// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/cluster/failover"
	"github.com/dragoman-io/dragoman/controllers/decide/simulate"
	"github.com/dragoman-io/dragoman/controllers/gather"
)

// simulateOptions are the flags of failover simulate.
type simulateOptions struct {
	streams    verb.Streams
	kubeconfig string
	files      []string
	clusters   []string
	down       bool
	taints     []string
	namespace  string
	selector   string
	output     string

	purgeMode      string
	rate           float64
	unhealthyShare float64
}

func newFailoverSimulateCommand(streams verb.Streams) *cobra.Command {
	o := &simulateOptions{streams: streams}
	c := &cobra.Command{
		Use:   "simulate --cluster NAME --down | --taint KEY=VALUE:EFFECT",
		Short: "Show what would move where if a cluster were lost, and write nothing",
		Long: `simulate reads clusters, bindings, ClusterTaintPolicies and PlacementRules, and decides as the control
plane would if clusters could not be reached any more, or had a taint: what would leave,
when by the rate of evictions, where it would go and with which state; what would wait
for a fence, fit nowhere or stay, and why. It writes nothing. Of the state that scripts
name it knows what the members reported and what is kept.

With --down the clusters are not ready and have the taints that ClusterTaintPolicies add
then. Objects leave only for a taint with the effect NoExecute, and only if the manager
runs with --feature-gates=Failover=true and --enable-no-execute-taint-eviction, as is
assumed here. The flags with the names of the manager's flags must be as those.

With -f the objects are read from files as kubectl prints them, and no control plane is
needed.

Exit codes: 0 all that has a copy there would move; 1 something would not; 2 usage, or the
control plane could not be read.`,
		Example: `  dragoman failover simulate --cluster member1 --down
  dragoman failover simulate --cluster member1 --taint maintenance=yes:NoExecute -n shop
  kubectl get clusters,clustertaintpolicies,rb,crb -A -o yaml | dragoman failover simulate --cluster member1 --down -f -`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.clusters, "cluster", nil, "name of a cluster; may be given several times")
	f.BoolVar(&o.down, "down", false, "the clusters cannot be reached")
	f.StringSliceVar(&o.taints, "taint", nil, "taint that the clusters get, such as maintenance=yes:NoExecute; may be given several times")
	f.StringVarP(&o.namespace, "namespace", "n", "", "show only objects of this namespace; empty shows all")
	f.StringVarP(&o.selector, "selector", "l", "", "show only objects whose bindings have these labels")
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringSliceVarP(&o.files, "filename", "f", nil, "file with the objects, as kubectl prints them; - is stdin; may be given several times")
	f.StringVarP(&o.output, "output", "o", "text", "form of the result: text or json")
	defaults := failover.DefaultOptions()
	f.StringVar(&o.purgeMode, "no-execute-taint-eviction-purge-mode", string(defaults.PurgeMode), "the manager's: how copies are removed whose policy has no spec.failover.cluster")
	f.Float64Var(&o.rate, "resource-eviction-rate", defaults.Rate, "the manager's: evictions a second")
	f.Float64Var(&o.unhealthyShare, "unhealthy-cluster-threshold", defaults.UnhealthyShare, "the manager's: share of unhealthy clusters above which nothing is evicted")
	return c
}

func (o *simulateOptions) run(ctx context.Context) error {
	in, err := o.input()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	s, err := o.snapshot(ctx)
	if err != nil {
		return err
	}
	in.Clusters, in.Bindings, in.TaintPolicies = s.Clusters, s.Bindings, s.TaintPolicies
	if in.Rules, err = gather.RulesFor(s.Rules, in.Now); err != nil {
		return err
	}
	r, err := simulate.Simulate(in)
	if err != nil {
		return err
	}
	if o.output == "json" {
		err = writeJSON(o.streams.Out, r)
	} else {
		_, err = io.WriteString(o.streams.Out, r.Text())
	}
	if err == nil && r.Count(simulate.Moves) < len(r.Moves) {
		return verb.Exit(verb.ExitFound, "")
	}
	return err
}

// input returns what the flags ask for.
func (o *simulateOptions) input() (simulate.Input, error) {
	in := simulate.Input{
		Loss: simulate.Loss{Clusters: slices.Compact(slices.Sorted(slices.Values(o.clusters))), Down: o.down}, PurgeMode: policyv1alpha1.PurgeMode(o.purgeMode),
		Rate: o.rate, UnhealthyShare: o.unhealthyShare, Now: time.Now(),
	}
	flags := failover.Options{PurgeMode: in.PurgeMode, Rate: o.rate, UnhealthyShare: o.unhealthyShare}
	switch {
	case !slices.Contains([]string{"text", "json"}, o.output):
		return in, fmt.Errorf("output %q: want text or json", o.output)
	case len(o.clusters) == 0:
		return in, errors.New("--cluster: want the name of a cluster")
	case !o.down && len(o.taints) == 0:
		return in, errors.New("want --down or --taint: what happens to the cluster")
	case flags.Validate() != nil:
		return in, flags.Validate()
	}
	for _, text := range o.taints {
		t, err := parseTaint(text)
		if err != nil {
			return in, fmt.Errorf("--taint %q: %w", text, err)
		}
		in.Loss.Taints = append(in.Loss.Taints, t)
	}
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return in, fmt.Errorf("--selector %q: %w", o.selector, err)
	}
	in.Selects = func(b workv1alpha2.Binding) bool {
		return (o.namespace == "" || b.GetNamespace() == o.namespace) && selector.Matches(labels.Set(b.GetLabels()))
	}
	return in, nil
}

// parseTaint reads key=value:effect or key:effect.
func parseTaint(text string) (corev1.Taint, error) {
	rest, effect, ok := strings.Cut(text, ":")
	key, value, _ := strings.Cut(rest, "=")
	t := corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule}
	switch problems := validation.IsQualifiedName(key); {
	case !ok, !slices.Contains(effects, t.Effect):
		return t, errors.New("want KEY=VALUE:EFFECT or KEY:EFFECT, with the effect NoExecute or NoSchedule")
	case len(problems) > 0:
		return t, fmt.Errorf("the key %q: %s", key, strings.Join(problems, "; "))
	}
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		return t, fmt.Errorf("the value %q: %s", value, strings.Join(problems, "; "))
	}
	return t, nil
}

// snapshot reads the files or the control plane.
func (o *simulateOptions) snapshot(ctx context.Context) (*gather.Snapshot, error) {
	if len(o.files) == 0 {
		plane, err := openReadOnlyPlane(o.kubeconfig, "")
		if err != nil {
			return nil, err
		}
		return gather.ReadSnapshot(ctx, plane.client)
	}
	s := &gather.Snapshot{}
	for _, file := range o.files {
		objects, err := readRecorded(o.streams, file)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			if err := s.Add(object); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return s, nil
}
