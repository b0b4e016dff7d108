// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestDenials(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	forbidden := func(resource string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("denied"))
	}
	d := &denials{}
	d.add(forbidden("pods"), at)
	d.add(fmt.Errorf("failed to list *v1.Node: %w", forbidden("nodes")), at.Add(time.Minute))
	d.add(errors.New("connection refused"), at)
	if diff := cmp.Diff([]string{"nodes is forbidden: denied", "pods is forbidden: denied"}, d.now(at.Add(time.Minute))); diff != "" {
		t.Errorf("a minute later (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"nodes is forbidden: denied"}, d.now(at.Add(150*time.Second))); diff != "" {
		t.Errorf("once the one of pods does not come again (-want +got):\n%s", diff)
	}
}

func TestSetPermissions(t *testing.T) {
	s := &clusterv1alpha1.ClusterStatus{}
	setPermissions(s, 1, nil)
	if len(s.Conditions) != 0 {
		t.Errorf("got %v, want no condition where nothing is refused", s.Conditions)
	}
	setPermissions(s, 1, []string{"a", "b"})
	c := meta.FindStatusCondition(s.Conditions, "PermissionsComplete")
	if c == nil || c.Status != metav1.ConditionFalse || c.Reason != "Forbidden" ||
		c.Message != "the free resources of the cluster are not known, and nothing can be divided by them: a; b" {
		t.Errorf("got %+v", c)
	}
	setPermissions(s, 1, nil)
	if len(s.Conditions) != 0 {
		t.Errorf("got %v, want no condition any more", s.Conditions)
	}
}
