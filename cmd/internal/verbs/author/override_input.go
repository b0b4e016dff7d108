// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/source"
)

// overrideInput is what the files of override hold.
type overrideInput struct {
	object      *unstructured.Unstructured
	cluster     *clusterv1alpha1.Cluster
	clusterWide []*policyv1alpha1.ClusterOverridePolicy
	namespaced  []*policyv1alpha1.OverridePolicy
	// places are the documents of the policies, by their titles in errors.
	places map[string]source.Document
}

func (in *overrideInput) policies() override.Policies {
	return override.Policies{ClusterWide: in.clusterWide, Namespaced: in.namespaced}
}

// locateError returns an error of Apply with the file and the line of the policy's field.
func (in *overrideInput) locateError(err error) error {
	var failed *override.Error
	if !errors.As(err, &failed) {
		return err
	}
	place, known := in.places[failed.Policy]
	if !known {
		return verb.Exit(verb.ExitFound, err.Error())
	}
	message := fmt.Sprintf("for cluster %s: %v", failed.Cluster, failed.Err)
	return verb.Exit(verb.ExitFound, place.Problem(failed.Field, message).String())
}

// readInput reads all files.
func (o *overrideOptions) readInput() (*overrideInput, error) {
	in := &overrideInput{places: map[string]source.Document{}}
	object, err := o.streams.Document(o.object)
	if err != nil {
		return nil, err
	}
	in.object = object.Object
	if in.cluster, err = o.readCluster(); err != nil {
		return nil, err
	}
	for _, file := range o.policies {
		texts, err := o.streams.Texts(file)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			if err := o.readPolicies(t, in); err != nil {
				return nil, err
			}
		}
	}
	if len(in.places) == 0 {
		return nil, verb.Exit(verb.ExitNothing, "there is no OverridePolicy and no ClusterOverridePolicy in "+fmt.Sprint(o.policies))
	}
	return in, nil
}

// readPolicies adds the override policies of a file. What dragoman check finds in the file
// is an error.
func (o *overrideOptions) readPolicies(t verb.Text, in *overrideInput) error {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	checker, err := author.NewChecker(compiler, o.namespace)
	if err != nil {
		return err
	}
	found := checker.Text(t.Name, t.Data)
	all := found.Errs
	for _, p := range found.Problems {
		all = append(all, verb.Exit(verb.ExitFound, p.String()))
	}
	if len(all) > 0 {
		return errors.Join(all...)
	}
	documents, err := source.Documents(t.Name, t.Data)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if err := o.addPolicy(d, in); err != nil {
			return verb.Exit(verb.ExitFound, d.Problem("", err.Error()).String())
		}
	}
	return nil
}

// addPolicy adds a document if it is an override policy.
func (o *overrideOptions) addPolicy(d source.Document, in *overrideInput) error {
	if d.Object.GroupVersionKind().GroupVersion() != policyv1alpha1.GroupVersion {
		return nil
	}
	switch d.Object.GetKind() {
	case "ClusterOverridePolicy":
		p := &policyv1alpha1.ClusterOverridePolicy{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.Object.Object, p); err != nil {
			return err
		}
		in.clusterWide = append(in.clusterWide, p)
		in.places["ClusterOverridePolicy "+p.Name] = d
	case "OverridePolicy":
		p := &policyv1alpha1.OverridePolicy{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.Object.Object, p); err != nil {
			return err
		}
		if p.Namespace == "" {
			p.Namespace = o.namespace
		}
		p.SetDefaults()
		in.places["OverridePolicy "+p.Namespace+"/"+p.Name] = d
		if o.namespace != "" || in.object.GetNamespace() != "" {
			in.namespaced = append(in.namespaced, p)
		}
	}
	return nil
}

// readCluster returns the cluster that the flags name.
func (o *overrideOptions) readCluster() (*clusterv1alpha1.Cluster, error) {
	if o.clusterFile == "" {
		return o.defaultCluster(), nil
	}
	documents, err := o.streams.Documents(o.clusterFile)
	if err != nil {
		return nil, err
	}
	var all []*clusterv1alpha1.Cluster
	for _, d := range documents {
		if d.Object.GroupVersionKind() != clusterv1alpha1.GroupVersion.WithKind("Cluster") || o.cluster != "" && o.cluster != d.Object.GetName() {
			continue
		}
		c := &clusterv1alpha1.Cluster{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.Object.Object, c); err != nil {
			return nil, verb.Exit(verb.ExitFound, d.Problem("", err.Error()).String())
		}
		all = append(all, c)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: want one cluster of %s, got %d; choose one by --cluster", o.clusterFile, clusterv1alpha1.GroupVersion, len(all))
	}
	return all[0], nil
}
