// SPDX-License-Identifier: Apache-2.0

package reflection

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func TestManifestStatuses(t *testing.T) {
	status := func(ordinal int, name string) workv1alpha1.ManifestStatus {
		return workv1alpha1.ManifestStatus{Identifier: workv1alpha1.ResourceIdentifier{Ordinal: ordinal, Name: name}}
	}
	var all workv1alpha1.WorkStatus
	for _, s := range []workv1alpha1.ManifestStatus{status(2, "c"), status(0, "a"), status(1, "b"), status(0, "d")} {
		Set(&all, s)
	}
	want := []workv1alpha1.ManifestStatus{status(0, "d"), status(1, "b"), status(2, "c")}
	if diff := cmp.Diff(want, all.ManifestStatuses); diff != "" {
		t.Errorf("in the order of the manifests, the last word for each (-want +got):\n%s", diff)
	}
	Drop(&all, 1)
	if diff := cmp.Diff(want[:1], all.ManifestStatuses); diff != "" {
		t.Errorf("none of a manifest that is not there any more (-want +got):\n%s", diff)
	}
}
