// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// TestPresent has watches show an object before, while and after it is created, and asks
// whether its end is still to be shown.
func TestPresent(t *testing.T) {
	work := types.NamespacedName{Namespace: "karmada-es-one", Name: "w"}
	object := func(uid types.UID) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job"}}
		o.SetName("m")
		o.SetUID(uid)
		o.SetLabels(map[string]string{workv1alpha2.ManagedLabel: workv1alpha2.ManagedLabelValue})
		o.SetAnnotations(map[string]string{workv1alpha2.WorkNamespaceAnnotation: work.Namespace, workv1alpha2.WorkNameAnnotation: work.Name})
		return o
	}
	left := object("a")
	left.SetAnnotations(nil)
	id := identityOf(object("a"))
	var answered func(types.UID)
	type step func(*present)
	begin := func(p *present) { answered = p.creates(work, id) }
	answer := func(uid types.UID) step { return func(*present) { answered(uid) } }
	shown := func(old, now *unstructured.Unstructured) step {
		return func(p *present) { p.shows(member.Event{Work: work, Cluster: "one", Old: old, New: now}) }
	}
	a, b := object("a"), object("b")
	for _, tc := range []struct {
		reason string
		steps  []step
		want   bool
	}{
		{"nothing is known", nil, false},
		{"it was created", []step{begin, answer("a")}, true},
		{"it was refused", []step{begin, answer("")}, false},
		{"it was shown", []step{begin, answer("a"), shown(nil, a)}, true},
		{"its end was shown", []step{begin, answer("a"), shown(nil, a), shown(a, nil)}, false},
		{"it was there before", []step{shown(nil, a)}, true},
		{"its end was shown before the answer", []step{begin, shown(nil, a), shown(a, nil), answer("a")}, false},
		{"the end of one before it was shown before the answer", []step{begin, shown(b, nil), answer("a")}, true},
		{"the end of one before it was shown", []step{begin, answer("a"), shown(b, nil)}, true},
		{"one before it was shown late", []step{begin, answer("a"), shown(b, b), shown(b, nil)}, true},
		{"another was shown in its place", []step{shown(nil, a), shown(a, b), shown(b, nil)}, false},
		{"it was refused, as one is there", []step{shown(nil, a), begin, answer("")}, true},
		{"it was refused, and the one that was there ended meanwhile", []step{shown(nil, a), begin, shown(a, nil), answer("")}, false},
		{"the Work let go of it", []step{shown(nil, a), shown(a, left)}, false},
		{"its watches begin again", []step{shown(nil, a), func(p *present) { p.forgetAll(work.Namespace) }}, false},
		{"those of another cluster do", []step{shown(nil, a), func(p *present) { p.forgetAll("karmada-es-two") }}, true},
		{"its Work ended", []step{shown(nil, a), func(p *present) { p.forget(work) }}, false},
	} {
		var p present
		for _, s := range tc.steps {
			s(&p)
		}
		now := time.Unix(0, 0)
		if has, got := p.has(work, id), p.unshown(work, id, now); has != tc.want || got != tc.want {
			t.Errorf("%s: has is %t and unshown %t, want %t", tc.reason, has, got, tc.want)
		}
		if p.unshown(work, id, now.Add(waitForEnd-1)) != tc.want {
			t.Errorf("%s: it changed within %s", tc.reason, waitForEnd)
		}
		if p.unshown(work, id, now.Add(waitForEnd)) || len(p.works) != 0 {
			t.Errorf("%s: it is waited for longer than %s, or %d Works are remembered", tc.reason, waitForEnd, len(p.works))
		}
	}
}
