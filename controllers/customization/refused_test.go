// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// aged returns a customization of an age in seconds.
func aged(name string, age int64) *configv1alpha1.ResourceInterpreterCustomization {
	return &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{
		Name: name, CreationTimestamp: metav1.NewTime(time.Unix(1_000_000-age, 0)),
	}}
}

// needing returns the error of a rule set that needs so many bytes more.
func needing(bytes int64) error { return &engine.OverBudgetError{Size: 100 + bytes, Replaced: 100} }

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*refusals)
		used   int64
		want   []string
	}{
		"Full":      {"nothing fits", func(*refusals) {}, 91, nil},
		"Oldest":    {"the oldest goes first, though others fit too", func(*refusals) {}, 70, []string{"old"}},
		"Several":   {"those that fit together", func(*refusals) {}, 50, []string{"old", "a"}},
		"All":       {"all", func(*refusals) {}, 0, []string{"old", "a", "b"}},
		"Small":     {"one that does not fit keeps no place", func(r *refusals) { r.record(aged("old", 9), needing(60)) }, 70, []string{"a"}},
		"Compiled":  {"one that was refused for another reason is not tried again", func(r *refusals) { r.record(aged("old", 9), errors.New("broken")) }, 70, []string{"a"}},
		"Active":    {"nor is one that is active", func(r *refusals) { r.record(aged("old", 9), nil) }, 70, []string{"a"}},
		"Removed":   {"nor is one that is gone", func(r *refusals) { r.forget("old") }, 70, []string{"a"}},
		"Offered":   {"room is offered once", func(r *refusals) { r.offer(70, 100) }, 70, nil},
		"Taken":     {"one that was tried again does not wait", func(r *refusals) { r.offer(70, 100); r.takeRoom("old") }, 70, []string{"a"}},
		"OfferedTo": {"room that was offered is not offered to another", func(r *refusals) { r.offer(70, 100) }, 51, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r refusals
			r.record(aged("b", 1), needing(20))
			r.record(aged("old", 9), needing(30))
			r.record(aged("a", 1), needing(20))
			tc.change(&r)
			if diff := cmp.Diff(tc.want, r.offer(tc.used, 100)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTakeRoom(t *testing.T) {
	var r refusals
	r.record(aged("a", 1), needing(20))
	if r.takeRoom("a") || r.takeRoom("nobody") {
		t.Error("there is room before any was offered")
	}
	r.offer(0, 100)
	if !r.takeRoom("a") || r.takeRoom("a") {
		t.Error("room that was offered is taken once")
	}
}
