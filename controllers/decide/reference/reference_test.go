// SPDX-License-Identifier: Apache-2.0

package reference_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// object returns an object of a kind.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	o.SetUID("uid")
	return o
}

// refersTo returns a binding of a name that refers to an object.
func refersTo(namespace, name string, to *unstructured.Unstructured) workv1alpha2.Binding {
	b := scope.EmptyBinding(namespace, name)
	b.GetSpec().Resource = workv1alpha2.ObjectReference{
		APIVersion: to.GetAPIVersion(), Kind: to.GetKind(), Namespace: to.GetNamespace(), Name: to.GetName(), UID: to.GetUID(),
	}
	return b
}

func TestCheckReference(t *testing.T) {
	secret, role := object("v1", "Secret", "tenant", "gold"), object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "admin")
	cases := map[string]struct {
		reason  string
		binding workv1alpha2.Binding
		found   *unstructured.Unstructured // nil for what the reference names
		foreign bool
		fails   string
	}{
		"Own":            {"the binding that the controllers write", refersTo("tenant", "gold-secret", secret), nil, false, ""},
		"OwnWide":        {"also that of an object without a namespace", refersTo("", "admin-clusterrole", role), nil, false, ""},
		"Other":          {"another namespace", refersTo("tenant", "gold-secret", object("v1", "Secret", "victim", "gold")), nil, true, `not in "victim"`},
		"Credentials":    {"nor those of a member", refersTo("tenant", "m1-secret", object("v1", "Secret", "karmada-cluster", "m1")), nil, true, `not in "karmada-cluster"`},
		"Reserved":       {"nor by a binding beside them", refersTo("karmada-cluster", "m1-secret", object("v1", "Secret", "karmada-cluster", "m1")), nil, false, "never propagated"},
		"System":         {"a namespace that is skipped", refersTo("kube-system", "x-secret", object("v1", "Secret", "kube-system", "x")), nil, false, "never propagated"},
		"WithoutSpace":   {"an object without a namespace", refersTo("tenant", "admin-clusterrole", role), nil, true, `not in ""`},
		"PretendedSpace": {"also where the reference has one", refersTo("tenant", "admin-clusterrole", object("rbac.authorization.k8s.io/v1", "ClusterRole", "tenant", "admin")), role, true, "has no namespace"},
		"WideOfSpaced":   {"and the other way round", refersTo("", "gold-secret", secret), nil, true, "ClusterResourceBinding"},
		"Name":           {"another name", refersTo("tenant", "forged", secret), nil, false, "is called gold-secret"},
		"UID": {"an earlier object of the name", refersTo("tenant", "gold-secret", secret), func() *unstructured.Unstructured {
			later := secret.DeepCopy()
			later.SetUID("later")
			return later
		}(), false, "spec.resource.uid"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := reference.Check(tc.binding, nil)
			if err == nil {
				found := tc.found
				if found == nil {
					r := tc.binding.GetSpec().Resource
					found = object(r.APIVersion, r.Kind, r.Namespace, r.Name)
				}
				err = reference.CheckTemplate(tc.binding, found)
			}
			var refused *reference.Error
			if errors.As(err, &refused); (refused == nil) != (tc.fails == "") {
				t.Fatalf("%s: error %v", tc.reason, err)
			}
			if refused != nil && (refused.Foreign != tc.foreign || !strings.Contains(refused.Error(), tc.fails)) {
				t.Errorf("%s: %v, foreign is %t; want %q and %t", tc.reason, refused, refused.Foreign, tc.fails, tc.foreign)
			}
		})
	}
}
