// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// evictOf evicts a copy Directly with a state of so many bytes, and returns the warnings.
func evictOf(b workv1alpha2.Binding, cluster string, bytes int, at time.Time) (warnings []string, _ error) {
	err := Evict(b, Eviction{
		Cluster: cluster, Reason: workv1alpha2.EvictionReasonTaintUntolerated, PurgeMode: policyv1alpha1.PurgeModeDirectly,
		State: State{Values: map[string]string{"of": cluster + strings.Repeat("x", bytes)}}, Before: TargetNames(b.GetSpec()), Time: at,
		Warn: func(err error) { warnings = append(warnings, err.Error()) },
	})
	return warnings, err
}

func TestCarriedStateHasABound(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	b.GetSpec().Clusters = fixture.Targets("a", "b", "c", "d", "e")
	for i, cluster := range []string{"b", "a", "c"} { // b is the oldest
		if warnings, err := evictOf(b, cluster, 30<<10, now.Add(time.Duration(i)*time.Minute)); err != nil || len(warnings) > 0 {
			t.Fatalf("three states fit; evicting %s: %v, error %v", cluster, warnings, err)
		}
	}
	warnings, err := evictOf(b, "d", 30<<10, now.Add(time.Hour))
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "the state of cluster b (30.1 KiB) is dropped: ") {
		t.Errorf("a fourth state does not fit: want that of b dropped, got %q, error %v", warnings, err)
	}
	var left []string
	for _, c := range CarriedStates(b) {
		left = append(left, c.From)
	}
	if got := fmt.Sprint(left); got != "[a c d]" {
		t.Errorf("the states of %s are left, want those but the oldest", got)
	}
	if size := len(b.GetAnnotations()[CarriedStateAnnotation]); size > maxCarried {
		t.Errorf("the annotation has %d bytes, want %d at most", size, maxCarried)
	}
}

func TestEvictRefusesALargeState(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	b.GetSpec().Clusters = fixture.Targets("a", "b")
	_, err := evictOf(b, "a", 40<<10, now)
	var large *CarriedSizeError
	if !errors.As(err, &large) || large.Cluster != "a" || !strings.HasPrefix(err.Error(), "the state of cluster a is 40.1 KiB, and at most 32.0 KiB are carried over; ") {
		t.Errorf("got %v, want that the state of a is too large", err)
	}
	if got := TargetNames(b.GetSpec()); len(got) != 2 || IsEvicting(b.GetSpec()) || b.GetAnnotations()[CarriedStateAnnotation] != "" {
		t.Errorf("the targets are %v and the annotation has %d bytes, want that nothing changed", got, len(b.GetAnnotations()[CarriedStateAnnotation]))
	}
}

func TestRenewKeepsTheStateBeforeALargeOne(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	b.GetSpec().Clusters = fixture.Targets("a")
	if _, err := evictOf(b, "a", 10, now); err != nil {
		t.Fatal(err)
	}
	before := b.GetAnnotations()[CarriedStateAnnotation]
	changed, err := Renew(b, "a", State{Values: map[string]string{"of": strings.Repeat("x", 40<<10)}}, now)
	if large := (*CarriedSizeError)(nil); changed || !errors.As(err, &large) {
		t.Errorf("got %t, error %v, want that the state is too large", changed, err)
	}
	if b.GetAnnotations()[CarriedStateAnnotation] != before {
		t.Error("the state before is lost")
	}
}
