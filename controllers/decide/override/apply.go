// SPDX-License-Identifier: Apache-2.0

package override

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// maxItems bounds the items of overriders that are applied to one object for one cluster.
const maxItems = 4096

// run is the state of one Apply.
type run struct {
	*draft
	cluster *clusterv1alpha1.Cluster
	// before is the identity of the object that Apply got.
	before identity
	items  int
}

// newRun returns the state before the first policy.
func newRun(object *unstructured.Unstructured, cluster *clusterv1alpha1.Cluster) *run {
	return &run{draft: newDraft(object.Object), cluster: cluster, before: identityOf(object.Object)}
}

// policies applies policies in their order, and returns what was applied.
func (r *run) policies(all []candidate) ([]Applied, error) {
	var applied []Applied
	for _, c := range all {
		for rule := range rules(c.policy.GetSpec()) {
			matches, err := r.matches(rule)
			if err == nil && !matches {
				continue
			}
			if err == nil {
				err = r.overriders(rule.path+".overriders.", &rule.Overriders)
			}
			if err != nil {
				return nil, named(err, c.title())
			}
			applied = append(applied, Applied{PolicyName: c.policy.GetName(), Overriders: rule.Overriders})
		}
	}
	return applied, nil
}

// named sets the policy of an *Error.
func named(err error, policy string) error {
	var failed *Error
	if errors.As(err, &failed) {
		failed.Policy = policy
	}
	return err
}

// matches reports whether a rule is for the cluster.
func (r *run) matches(rule rule) (bool, error) {
	affinity, err := selector.NewAffinity(rule.TargetCluster)
	if err != nil {
		return false, &Error{Field: rule.path + ".targetCluster", Err: err}
	}
	return affinity.Matches(r.cluster), nil
}

// overriders applies the overriders of a rule, in the order that the published API fixes.
func (r *run) overriders(path string, o *policyv1alpha1.Overriders) error {
	steps := []func() error{
		func() error { return each(r, path+"imageOverrider", o.ImageOverrider, images) },
		func() error { return each(r, path+"commandOverrider", o.CommandOverrider, command) },
		func() error { return each(r, path+"argsOverrider", o.ArgsOverrider, args) },
		func() error { return each(r, path+"labelsOverrider", o.LabelsOverrider, labels) },
		func() error { return each(r, path+"annotationsOverrider", o.AnnotationsOverrider, annotations) },
		func() error { return each(r, path+"fieldOverrider", o.FieldOverrider, field) },
		func() error { return each(r, path+"plaintext", o.Plaintext, plaintext) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// each applies the items of one overrider. The error is an *Error without a policy.
func each[T any](r *run, path string, items []T, apply func(*draft, *T) error) error {
	for i := range items {
		if err := r.change(func(d *draft) error { return apply(d, &items[i]) }); err != nil {
			at, err := part(err)
			return &Error{Field: fmt.Sprintf("%s[%d]%s", path, i, at), Err: err}
		}
	}
	return nil
}

// change makes one change of the object, and checks that it is still the same one.
func (r *run) change(apply func(*draft) error) error {
	if r.items++; r.items > maxItems {
		return fmt.Errorf("the policies have more than %d items for this object", maxItems)
	}
	if err := apply(r.draft); err != nil {
		return err
	}
	if after := identityOf(r.object); r.before != after {
		return fmt.Errorf("an override cannot make another object of %s: it would become %s", r.before, after)
	}
	return nil
}

// identity is what an override cannot change of an object. The version of its API it can.
type identity struct {
	kind            schema.GroupKind
	namespace, name string
}

func identityOf(object map[string]any) identity {
	u := unstructured.Unstructured{Object: object}
	return identity{kind: u.GroupVersionKind().GroupKind(), namespace: u.GetNamespace(), name: u.GetName()}
}

// String returns the identity as Kind.group namespace/name.
func (i identity) String() string {
	if i.namespace == "" {
		return i.kind.String() + " " + i.name
	}
	return i.kind.String() + " " + i.namespace + "/" + i.name
}

// partError is an error in one part of an item.
type partError struct {
	part string
	err  error
}

func (e *partError) Error() string { return e.part + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

// inPart returns an error in one part of an item, such as yaml[0].
func inPart(part string, err error) error { return &partError{part, err} }

// part returns the part of an item as the end of its field's path, and what is wrong there.
func part(err error) (string, error) {
	if e := (*partError)(nil); errors.As(err, &e) {
		return "." + e.part, e.err
	}
	return "", err
}
