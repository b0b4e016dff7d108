// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// MostFollowed is how many objects are asked what they depend on for one binding, and how many
// references their answers add: the texts of many authors decide about it, and all of it is noted on the binding.
const MostFollowed = 100

// Follow returns the references of a binding with what the objects that they name depend on
// themselves, and so on; each object is asked once, and the template itself is not. Only objects in the namespace of
// the binding are asked that are named, and of a kind that follows accepts; an object that does not exist depends on nothing. Of
// what they depend on only what is in that namespace, or in none, goes along.
//
// The error is that of the objects that cannot answer, and of a bound that is reached; the references are
// those that are known all the same.
func Follow(b workv1alpha2.Binding, references []Reference, follows func(schema.GroupVersionKind) bool, ask func(Reference) ([]Reference, error)) ([]Reference, error) {
	all := slices.Clone(references)
	var failed []error
	for i, asked := 0, 0; i < len(all); i++ {
		r := all[i]
		if r.Name == "" || r.Namespace == "" || r.Namespace != b.GetNamespace() || !follows(kindOf(&r)) {
			continue
		}
		if asked++; asked > MostFollowed {
			return all, errors.Join(append(failed, errTooManyFollowed)...)
		}
		answer, err := ask(r)
		if err != nil {
			failed = append(failed, fmt.Errorf("by %s %s: %w", r.Kind, r.Name, err))
		}
		for _, next := range answer {
			if next.Namespace != "" && next.Namespace != b.GetNamespace() || isSelf(&next, b) || contains(all, &next) {
				continue
			}
			if len(all) == len(references)+MostFollowed {
				return all, errors.Join(append(failed, errTooManyFollowed)...)
			}
			all = append(all, next)
		}
	}
	return all, errors.Join(failed...)
}

var errTooManyFollowed = fmt.Errorf("what it depends on depends on more than %d further objects, so that some of these do not go along; select them by a policy of their own", MostFollowed)

// Unite returns references with those of others that are not among them.
func Unite(references, others []Reference) []Reference {
	all := slices.Clone(references)
	for i := range others {
		if !contains(all, &others[i]) {
			all = append(all, others[i])
		}
	}
	return all
}

// contains reports whether references have one to the same objects, in any version of their kind.
func contains(all []Reference, r *Reference) bool {
	return slices.ContainsFunc(all, func(o Reference) bool {
		return kindOf(&o).GroupKind() == kindOf(r).GroupKind() && o.Namespace == r.Namespace && o.Name == r.Name &&
			equality.Semantic.DeepEqual(o.LabelSelector, r.LabelSelector)
	})
}

// isSelf reports whether a reference names the object of a binding.
func isSelf(r *Reference, b workv1alpha2.Binding) bool {
	self := &b.GetSpec().Resource
	return schema.FromAPIVersionAndKind(self.APIVersion, self.Kind).GroupKind() == kindOf(r).GroupKind() &&
		self.Namespace == r.Namespace && self.Name == r.Name
}
