// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
)

// overrideOptions are the flags of override.
type overrideOptions struct {
	streams     verb.Streams
	object      string
	policies    []string
	cluster     string
	labels      map[string]string
	clusterFile string
	namespace   string
	output      string
}

// overrideOutputs are the forms of a result of override.
var overrideOutputs = []string{"yaml", "json", "diff"}

func newOverrideCommand(streams verb.Streams) *cobra.Command {
	o := &overrideOptions{streams: streams}
	c := &cobra.Command{
		Use:   "override -f OBJECT --policy FILE --cluster NAME",
		Short: "Show what override policies make of an object for a cluster",
		Long: `override applies OverridePolicies and ClusterOverridePolicies to an object as the control
plane does for one cluster, and prints the object, or with -o diff what changes. Which
policies were applied goes to stderr, in the order in which they are published.

A policy file may hold several policies and lists; objects of other kinds in it are
skipped. An object or an OverridePolicy without a namespace is one of --namespace; with
-n '' the object belongs to no namespace, and only ClusterOverridePolicies are applied.

Rules that choose clusters by labels or fields need the cluster: its labels from
--cluster-labels, or all of it from --cluster-file, such as the output of kubectl get
clusters -o yaml, in which --cluster chooses one.`,
		Example: `  dragoman override -f configmap.yaml --policy policy.yaml --cluster member1
  dragoman override -f deployment.yaml --policy a.yaml --policy b.yaml --cluster member1 --cluster-labels env=prod -o diff
  kubectl get op -n shop -o yaml | dragoman override -f web.yaml --policy - --cluster-file clusters.yaml --cluster member2`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := c.Flags()
	f.StringVarP(&o.object, "filename", "f", "", verb.InputUsage("the object"))
	f.StringArrayVar(&o.policies, "policy", nil, verb.InputUsage("override policies")+"; can be repeated")
	f.StringVar(&o.cluster, "cluster", "", "name of the cluster")
	f.StringToStringVar(&o.labels, "cluster-labels", nil, "labels of the cluster as key=value; can be repeated")
	f.StringVar(&o.clusterFile, "cluster-file", "", "file with the cluster, - for stdin")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of the object and of OverridePolicies that have none")
	f.StringVarP(&o.output, "output", "o", "yaml", "form of the result: yaml, json or diff")
	c.MarkFlagsOneRequired("cluster", "cluster-file")
	c.MarkFlagsMutuallyExclusive("cluster-labels", "cluster-file")
	_ = c.MarkFlagRequired("filename")
	_ = c.MarkFlagRequired("policy")
	_ = c.RegisterFlagCompletionFunc("output", verb.CompleteValues(overrideOutputs...))
	return c
}

func (o *overrideOptions) run() error {
	if !slices.Contains(overrideOutputs, o.output) {
		return fmt.Errorf("output %q: want yaml, json or diff", o.output)
	}
	stdin := 0
	for _, file := range append([]string{o.object, o.clusterFile}, o.policies...) {
		if file == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return errors.New("stdin can be read only once; pass - to one flag")
	}
	in, err := o.readInput()
	if err != nil {
		return err
	}
	before := in.object
	if o.namespace != "" && before.GetNamespace() == "" {
		in.object = before.DeepCopy()
		in.object.SetNamespace(o.namespace)
	}
	result, err := override.Apply(in.object, in.cluster, in.policies())
	if err != nil {
		return in.locateError(err)
	}
	after := result.Object
	if before.GetNamespace() == "" && after.GetNamespace() != "" {
		after = after.DeepCopy()
		unstructured.RemoveNestedField(after.Object, "metadata", "namespace")
	}
	o.report(result, in)
	return o.write(before, after)
}

// report prints what was applied, a line for each rule.
func (o *overrideOptions) report(r override.Result, in *overrideInput) {
	if len(r.ClusterWide)+len(r.Namespaced) == 0 {
		fmt.Fprintf(o.streams.Err, "no override is for %s/%s on cluster %s\n", in.object.GetKind(), in.object.GetName(), in.cluster.Name)
	}
	for _, a := range r.ClusterWide {
		fmt.Fprintf(o.streams.Err, "applied ClusterOverridePolicy %s: %s\n", a.PolicyName, overriderSummary(&a.Overriders))
	}
	for _, a := range r.Namespaced {
		fmt.Fprintf(o.streams.Err, "applied OverridePolicy %s: %s\n", a.PolicyName, overriderSummary(&a.Overriders))
	}
}

// overriderSummary lists the overriders of a rule with the number of their items.
func overriderSummary(o *policyv1alpha1.Overriders) string {
	var parts []string
	for _, part := range []struct {
		name  string
		items int
	}{
		{"imageOverrider", len(o.ImageOverrider)},
		{"commandOverrider", len(o.CommandOverrider)},
		{"argsOverrider", len(o.ArgsOverrider)},
		{"labelsOverrider", len(o.LabelsOverrider)},
		{"annotationsOverrider", len(o.AnnotationsOverrider)},
		{"fieldOverrider", len(o.FieldOverrider)},
		{"plaintext", len(o.Plaintext)},
	} {
		if part.items > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.items, part.name))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// write prints the result in the form of the flag output.
func (o *overrideOptions) write(before, after *unstructured.Unstructured) error {
	text, err := o.text(before, after)
	if err != nil {
		return err
	}
	_, err = o.streams.Out.Write(text)
	return err
}

func (o *overrideOptions) text(before, after *unstructured.Unstructured) ([]byte, error) {
	if o.output == "diff" {
		return verb.Diff("template", before.Object, "result", after.Object)
	}
	return verb.Encode(o.output, after.Object)
}

// defaultCluster returns the cluster that the flags describe without a file.
func (o *overrideOptions) defaultCluster() *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{}
	c.Name, c.Labels = o.cluster, o.labels
	return c
}
