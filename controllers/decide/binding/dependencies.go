// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
)

// Reference names an object that another depends on, or all objects of a kind by their
// labels.
type Reference = configv1alpha1.DependentObjectReference

// Propagates reports whether other objects go where a binding's object goes: those that it
// depends on, or those that go along since application failover moved it.
func Propagates(b workv1alpha2.Binding) bool {
	return b.GetDeletionTimestamp() == nil && (b.GetSpec().PropagateDeps || TakesAlong(b))
}

// Dependencies returns what the object of a binding depends on, as the binding notes it:
// nothing if it does not propagate, and nothing for a note that cannot be read.
func Dependencies(b workv1alpha2.Binding) []Reference {
	if !Propagates(b) {
		return nil
	}
	return noted(b)
}

// NotesDependencies reports whether a binding notes dependencies, even if it does not
// propagate them any more.
func NotesDependencies(b workv1alpha2.Binding) bool {
	_, notes := b.GetAnnotations()[workv1alpha2.DependenciesAnnotation]
	return notes
}

func noted(b workv1alpha2.Binding) []Reference {
	var all []Reference
	if err := note(workv1alpha2.DependenciesAnnotation).read(b, &all); err != nil {
		return nil
	}
	return all
}

// SetDependencies notes on a binding what its object depends on, sorted, and without a
// note if that is nothing. A note of the same references in another order stays.
func SetDependencies(b workv1alpha2.Binding, references []Reference) error {
	sorted := sortedReferences(references)
	if NotesDependencies(b) && equality.Semantic.DeepEqual(sortedReferences(noted(b)), sorted) {
		return nil
	}
	return note(workv1alpha2.DependenciesAnnotation).write(b, sorted, len(sorted) == 0)
}

func sortedReferences(all []Reference) []Reference {
	return slices.SortedStableFunc(slices.Values(all), func(a, b Reference) int {
		return cmp.Or(
			strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name),
			strings.Compare(metav1.FormatLabelSelector(a.LabelSelector), metav1.FormatLabelSelector(b.LabelSelector)),
		)
	})
}

// DependencyKinds returns the kinds that some references name, each once.
func DependencyKinds(references []Reference) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for i := range references {
		if kind := kindOf(&references[i]); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func kindOf(r *Reference) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(r.APIVersion, r.Kind)
}

// NamespacesOf returns the namespaces where the objects of a reference may be. One without
// a namespace names an object without one, or one beside the object that depends on it.
func NamespacesOf(b workv1alpha2.Binding, r *Reference) []string {
	if r.Namespace != "" || b.GetNamespace() == "" {
		return []string{r.Namespace}
	}
	return []string{"", b.GetNamespace()}
}

// DependsOn reports whether the object of a binding depends on another object that may go
// where it goes, in any version of its kind. No object depends on itself.
func DependsOn(b workv1alpha2.Binding, object *unstructured.Unstructured) bool {
	kind, self := object.GroupVersionKind().GroupKind(), &b.GetSpec().Resource
	if schema.FromAPIVersionAndKind(self.APIVersion, self.Kind).GroupKind() == kind && self.Name == object.GetName() && self.Namespace == object.GetNamespace() {
		return false
	}
	if !grants(object, b.GetNamespace()) {
		return false
	}
	return slices.ContainsFunc(Dependencies(b), func(r Reference) bool {
		return kindOf(&r).GroupKind() == kind && slices.Contains(NamespacesOf(b, &r), object.GetNamespace()) && selects(&r, object)
	})
}

// GrantAnnotation is on an object that follows objects of other namespaces which depend on
// it. Its value names these namespaces, separated by commas, or is "*" for all.
const GrantAnnotation = "propagation.dragoman.io/granted-namespaces"

// grants reports whether an object follows those of a namespace to their clusters, as far
// as their dependencies ask for it. What a template depends on is text of its author, who
// chooses the clusters, too: so an object of another namespace follows only by a word of
// who owns it. Objects without a namespace on either side need none: they are of the
// operator, or hold nothing of a tenant.
func grants(object *unstructured.Unstructured, namespace string) bool {
	own := object.GetNamespace()
	if own == "" || namespace == "" || own == namespace {
		return true
	}
	for granted := range strings.SplitSeq(object.GetAnnotations()[GrantAnnotation], ",") {
		if granted = strings.TrimSpace(granted); granted == namespace || granted == "*" {
			return true
		}
	}
	return false
}

// NeedGrants returns the references to namespaces other than that of the binding, whose
// objects follow only if they grant it.
func NeedGrants(b workv1alpha2.Binding, references []Reference) []Reference {
	var foreign []Reference
	for _, r := range references {
		if b.GetNamespace() != "" && r.Namespace != "" && r.Namespace != b.GetNamespace() {
			foreign = append(foreign, r)
		}
	}
	return foreign
}

// selects reports whether a reference has the name of an object, or selects its labels.
func selects(r *Reference, object *unstructured.Unstructured) bool {
	if r.Name != "" {
		return r.Name == object.GetName()
	}
	s, err := metav1.LabelSelectorAsSelector(r.LabelSelector)
	return err == nil && s.Matches(labels.Set(object.GetLabels()))
}

// DependencyKeys returns the keys by which an index finds a binding for the objects that it
// depends on: LookupKeys has one of them for each of these objects, and KindKey is one for
// each kind.
func DependencyKeys(b workv1alpha2.Binding) []string {
	keys := map[string]bool{}
	references := Dependencies(b)
	for i := range references {
		r := &references[i]
		kind := kindOf(r).GroupKind()
		keys[KindKey(kind)] = true
		for _, namespace := range NamespacesOf(b, r) {
			prefix := kind.String() + "/" + namespace
			if r.Name != "" {
				keys[prefix+"/"+r.Name] = true
				continue
			}
			keys[prefix+anyLabels] = true
			for _, label := range requiredLabels(r.LabelSelector) {
				keys[prefix+"?"+label] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// requiredLabels returns what the objects have of which a selector selects: one of some
// labels, with their values or without; "" is any object.
func requiredLabels(s *metav1.LabelSelector) []string {
	key, values, ok := selector.Required(s)
	if !ok {
		return []string{""}
	}
	if len(values) == 0 {
		return []string{key}
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = key + "=" + v
	}
	return all
}

// LookupKeys returns the DependencyKeys of the bindings that may depend on an object.
func LookupKeys(object *unstructured.Unstructured) []string {
	prefix := object.GroupVersionKind().GroupKind().String() + "/" + object.GetNamespace()
	keys := []string{prefix + "/" + object.GetName(), prefix + "?"}
	own := object.GetLabels()
	for _, k := range slices.Sorted(maps.Keys(own)) {
		keys = append(keys, prefix+"?"+k, prefix+"?"+k+"="+own[k])
	}
	return keys
}

// anyLabels ends the key of the bindings that select objects by labels; no label has this
// name.
const anyLabels = "?*"

// NameKeys returns the DependencyKeys of the bindings that may depend on an object of which
// the labels are not known.
func NameKeys(kind schema.GroupKind, namespace, name string) []string {
	prefix := kind.String() + "/" + namespace
	return []string{prefix + "/" + name, prefix + anyLabels}
}

// KindKey returns the key by which an index finds the bindings that depend on objects of a
// kind.
func KindKey(kind schema.GroupKind) string { return kind.String() }
