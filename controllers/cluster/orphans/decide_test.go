// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestDecide(t *testing.T) {
	in := func(clusters ...string) workv1alpha2.Binding {
		b := &workv1alpha2.ResourceBinding{}
		for _, c := range clusters {
			b.Spec.Clusters = append(b.Spec.Clusters, workv1alpha2.TargetCluster{Name: c})
		}
		return b
	}
	ours := map[string]string{workv1alpha2.OwnerAnnotation: "me", workv1alpha2.WorkNamespaceAnnotation: names.ExecutionSpace("one"), workv1alpha2.WorkNameAnnotation: "web"}
	with := func(key, value string) map[string]string {
		other := map[string]string{key: value}
		for k, v := range ours {
			if k != key {
				other[k] = v
			}
		}
		return other
	}
	now := metav1.Now()
	for name, tc := range map[string]struct {
		marks   map[string]string
		going   *metav1.Time
		owner   string
		hasWork bool
		binding workv1alpha2.Binding
		want    Reason
	}{
		"NoBinding":       {marks: ours, owner: "me", want: NoBinding},
		"NotPlaced":       {marks: ours, owner: "me", binding: in(), want: NotPlaced},
		"PlacedElsewhere": {marks: ours, owner: "me", binding: in("two"), want: PlacedElsewhere},
		"Placed":          {marks: ours, owner: "me", binding: in("two", "one")},
		"HasWork":         {marks: ours, owner: "me", hasWork: true},
		"Going":           {marks: ours, owner: "me", going: &now},
		"NoMarks":         {owner: "me"},
		"NoWork":          {marks: with(workv1alpha2.WorkNameAnnotation, ""), owner: "me"},
		"OtherCluster":    {marks: with(workv1alpha2.WorkNamespaceAnnotation, names.ExecutionSpace("two")), owner: "me"},
		"OtherOwner":      {marks: with(workv1alpha2.OwnerAnnotation, "you"), owner: "me"},
		"ThePeers":        {marks: with(workv1alpha2.OwnerAnnotation, ""), owner: "me"},
		"NoOwner":         {marks: with(workv1alpha2.OwnerAnnotation, "")},
	} {
		t.Run(name, func(t *testing.T) {
			o := &metav1.ObjectMeta{Annotations: tc.marks, DeletionTimestamp: tc.going}
			if got := decide(o, "one", tc.owner, tc.hasWork, tc.binding); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestConditionOfRefusals(t *testing.T) {
	got := conditionOf("one", Found{Refused: []string{"secrets"}})
	if got.Status != metav1.ConditionUnknown || got.Message != "no object of an earlier membership was found; the control plane may not list there: secrets" {
		t.Errorf("got %s %q, want what may not be listed", got.Status, got.Message)
	}
}
