// SPDX-License-Identifier: Apache-2.0

package template

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestRefer(t *testing.T) {
	object := fixture.Gadget("space", "one", map[string]any{"replicas": int64(1)})
	object.SetUID("uid")
	object.SetResourceVersion("1")
	b := fixture.Binding(object)
	refer := func(reclaimed bool) {
		t.Helper()
		fingerprint, err := claim.Fingerprint(object)
		if err != nil {
			t.Fatal(err)
		}
		setReference(b, object, fingerprint, reclaimed)
	}
	refer(false)
	steps := []struct {
		reason  string
		version string
		change  func()
		want    string
	}{
		{"a status write does not move the version", "2", func() { object.Object["status"] = map[string]any{"ok": true} }, "1"},
		{"nor does what the API server keeps", "3", func() { object.SetGeneration(7) }, "1"},
		{"a new spec does", "4", func() { object.Object["spec"] = map[string]any{"replicas": int64(2)} }, "4"},
		{"a new label does", "5", func() { object.SetLabels(map[string]string{"a": "b"}) }, "5"},
		{"another object of the same name does", "6", func() { object.SetUID("other") }, "6"},
	}
	for _, step := range steps {
		step.change()
		object.SetResourceVersion(step.version)
		refer(false)
		if got := b.GetSpec().Resource.ResourceVersion; got != step.want {
			t.Errorf("%s: the binding refers to version %s, want %s", step.reason, got, step.want)
		}
	}
}

func TestUnchanged(t *testing.T) {
	needs := func(namespace, class string, replicas int32) workv1alpha2.Binding {
		b := fixture.Binding(fixture.Gadget("space", "one", nil))
		b.GetSpec().Replicas = replicas
		b.GetSpec().ReplicaRequirements = &workv1alpha2.ReplicaRequirements{Namespace: namespace, PriorityClassName: class}
		return b
	}
	nothing := fixture.Binding(fixture.Gadget("space", "one", nil))
	for _, tc := range []struct {
		reason        string
		before, after workv1alpha2.Binding
		want          bool
	}{
		{"nothing changed", needs("space", "", 1), needs("space", "", 1), true},
		{"an earlier version wrote no namespace", needs("", "", 1), needs("space", "", 1), true},
		{"it is written with another change", needs("", "", 1), needs("space", "", 2), false},
		{"which may be one of the requirements", needs("", "", 1), needs("space", "high", 1), false},
		{"another namespace is a change", needs("space", "", 1), needs("other", "", 1), false},
		{"requirements that are new are one", nothing, needs("space", "", 0), false},
	} {
		was := tc.before.DeepCopyObject()
		if got := unchanged(tc.before, tc.after); got != tc.want {
			t.Errorf("%s: unchanged is %t", tc.reason, got)
		}
		if diff := cmp.Diff(was, tc.before.DeepCopyObject()); diff != "" {
			t.Errorf("%s: what was read is changed:\n%s", tc.reason, diff)
		}
	}
}

func TestReferAfterAClaim(t *testing.T) {
	object := fixture.Gadget("space", "one", nil)
	object.SetResourceVersion("2")
	b := fixture.Binding(object)
	b.GetSpec().Resource.ResourceVersion = "1"
	base.SetAnnotation(b, workv1alpha2.TemplateFingerprintAnnotation, "print")
	setReference(b, object, "print", false)
	if got := b.GetSpec().Resource.ResourceVersion; got != "1" {
		t.Errorf("the binding of an unchanged template refers to version %s, want 1", got)
	}
	setReference(b, object, "print", true)
	if got := b.GetSpec().Resource.ResourceVersion; got != "2" {
		t.Errorf("the binding of another policy refers to version %s, want 2: its Works carry the claim", got)
	}
}
