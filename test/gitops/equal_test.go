// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/shared"
)

// The ways in which copies of a template are in members.
const (
	// one member has the object.
	one = "one"
	// two members have the same.
	duplicated = "duplicated"
	// two members have half of the replicas each, in the same state.
	divided = "divided"
	// two members, in different states.
	different = "different"
)

// TestMemberAndControlPlaneAreJudgedAlike has objects of members reported and aggregated, and asks each
// library about the object in the member and about the template in the control plane.
func TestMemberAndControlPlaneAreJudgedAlike(t *testing.T) {
	p := newPlane(t)
	r := newReport(t)
	for _, group := range p.samples(t) {
		r.compare(p, group)
	}
	r.finish(func(e exception) bool { return !e.inPublished })
	for _, kind := range p.aggregating() {
		if r.judged[kind+" kstatus"] == 0 {
			t.Errorf("no sample of %s was judged", kind)
		}
	}
}

// TestPublishedSamplesAreJudgedAlike does so with the objects of the published cases of Karmada, and with what
// other projects publish as samples, which have no status yet.
func TestPublishedSamplesAreJudgedAlike(t *testing.T) {
	p := newPlane(t)
	for _, folder := range []string{"cases", "real"} {
		t.Run(folder, func(t *testing.T) {
			r := newReport(t)
			for _, group := range p.published(t, shared.Folder(t, folder)) {
				r.compare(p, group)
			}
			r.finish(func(e exception) bool { return e.inPublished && folder == "cases" })
			if len(r.judged) < 10 {
				t.Errorf("%d kinds were judged, want at least 10: %v", len(r.judged), r.judged)
			}
		})
	}
}

// TestChangedTemplateIsWaitedFor changes a template that kstatus calls ready and whose members say what they
// have observed: it is in progress until they have reported the change.
func TestChangedTemplateIsWaitedFor(t *testing.T) {
	p := newPlane(t)
	waits := map[string]bool{}
	for _, group := range p.samples(t) {
		for _, s := range slices.Concat(group.samples, group.derived) {
			before, err := p.aggregated(template(s.object), s.object)
			if err != nil || !says(before).observed || kstatus(before) != string(status.CurrentStatus) {
				continue
			}
			before.SetGeneration(templateGeneration + 1)
			after, err := p.aggregated(before, s.object)
			if err != nil {
				t.Errorf("%s, %s: %v", group.kind, s.name, err)
				continue
			}
			waits[group.kind] = true
			if got := kstatus(after); got != string(status.InProgressStatus) {
				t.Errorf("%s, %s: a change that no member has reported is %s", group.kind, s.name, got)
			}
		}
	}
	if len(waits) < 25 {
		t.Errorf("%d kinds report what members have observed, want at least 25: %v", len(waits), waits)
	}
}

// report collects where a library judges a template otherwise than its members.
type report struct {
	t         *testing.T
	libraries []library
	// judged counts comparisons by kind.
	judged map[string]int
	// found are the names of the first samples of each finding.
	found map[finding]string
}

func newReport(t *testing.T) *report {
	t.Helper()
	return &report{t: t, libraries: libraries(t), judged: map[string]int{}, found: map[finding]string{}}
}

// compare puts the samples into one and two members.
func (r *report) compare(p *plane, group alike) {
	for _, s := range group.derived {
		r.alike(p, group.kind, s)
	}
	for i, s := range group.samples {
		double := r.alike(p, group.kind, s)
		for _, other := range group.samples[:i] {
			r.judge(p, group.kind, different, double, other, s)
			r.judge(p, group.kind, different, double, s, other)
		}
	}
}

// alike puts a sample into one member, and into two: duplicated and divided. It returns the template that two
// have together.
func (r *report) alike(p *plane, kind string, s sample) *unstructured.Unstructured {
	of := template(s.object)
	r.judge(p, kind, one, of, s)
	r.judge(p, kind, duplicated, of, s, s)
	double, ok := doubled(p, of)
	if !ok {
		return of
	}
	r.judge(p, kind, divided, double, s, s)
	return double
}

// doubled returns a template with twice the replicas, if it can be divided.
func doubled(p *plane, of *unstructured.Unstructured) (*unstructured.Unstructured, bool) {
	kind := of.GroupVersionKind()
	if !p.rules.Supports(kind, engine.ReviseReplica) || !p.rules.Supports(kind, engine.InterpretReplica) {
		return nil, false
	}
	replicas, err := p.rules.Replicas(of)
	if err != nil || replicas.Count == 0 {
		return nil, false
	}
	// The API server fills in replicas that are missing; the objects of members have them.
	if same, err := p.rules.Revise(of, int64(replicas.Count), engine.Division{}); err != nil || !equality.Semantic.DeepEqual(same.Object["spec"], of.Object["spec"]) {
		return nil, false
	}
	double, err := p.rules.Revise(of, 2*int64(replicas.Count), engine.Division{})
	return double, err == nil
}

// judge asks the libraries about the objects of members, and about the template with their status.
func (r *report) judge(p *plane, kind, way string, of *unstructured.Unstructured, members ...sample) {
	var objects []*unstructured.Unstructured
	for _, m := range members {
		objects = append(objects, m.object)
	}
	aggregated, err := p.aggregated(of, objects...)
	if err != nil {
		return // the status of one is one that no controller writes
	}
	for _, l := range r.libraries {
		var words []string
		for _, o := range objects {
			words = append(words, l.judge(o))
		}
		if words[0] == "" || slices.Contains(words, unjudged) {
			continue
		}
		got := l.judge(aggregated)
		want, ok := l.accepts(words[0], words[len(words)-1], got)
		ok = ok || waitsForReport(members) && got != l.ready && got != unjudged
		r.judged[kind+" "+l.name]++
		if !ok {
			found := finding{kind: kind, library: l.name, way: way, want: want, got: got}
			if _, known := r.found[found]; !known {
				r.found[found] = fmt.Sprintf("%q", names(members))
			}
		}
	}
}

// waitsForReport reports whether one of the members does not say what another says: then the control plane
// waits for it, though a library that finds nothing in an object may call it ready.
func waitsForReport(members []sample) bool {
	return slices.ContainsFunc(members, func(m sample) bool { return says(m.object) != says(members[0].object) })
}

// says reports which of the fields an object has that libraries read of any kind.
func says(o *unstructured.Unstructured) (fields struct{ conditions, ready, observed, status bool }) {
	status, _ := o.Object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	fields.ready = slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == "Ready"
	})
	fields.status, fields.conditions, fields.observed = len(status) > 0, len(conditions) > 0, status["observedGeneration"] != nil
	return fields
}

func names(members []sample) []string {
	var all []string
	for _, m := range members {
		all = append(all, m.name)
	}
	return all
}
