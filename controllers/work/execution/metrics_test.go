// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/controllers/internal/partition"
)

func TestByCluster(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	got := byCluster(map[string]partition.Backlog{
		"karmada-es-m1": {Ready: 2, Oldest: at}, "karmada-es-m1 slow": {Ready: 3, Oldest: at.Add(-time.Minute)},
		"karmada-es-m2": {}, "karmada-es-m2 slow": {Ready: 1, Oldest: at}, "default": {Ready: 1, Oldest: at},
	})
	want := map[string]partition.Backlog{"m1": {Ready: 5, Oldest: at.Add(-time.Minute)}, "m2": {Ready: 1, Oldest: at}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
