// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
)

const (
	oldRevision = "0000000000000000000000000000000000000000000000000000000000000000"
	newRevision = "1111111111111111111111111111111111111111111111111111111111111111"
)

// reported returns a ScriptBundle of generation 2 with conditions that are each given as "Type Status
// Generation", and have their type as the message.
func reported(conditions ...string) *interpreterv1alpha1.ScriptBundle {
	b := &interpreterv1alpha1.ScriptBundle{}
	b.Name, b.Generation, b.Spec.Mode = "web", 2, interpreterv1alpha1.ModeActive
	for _, text := range conditions {
		part := strings.Fields(text)
		b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{
			Type: part[0], Status: metav1.ConditionStatus(part[1]), ObservedGeneration: int64(part[2][0] - '0'), Message: part[0] + " says why",
		})
	}
	return b
}

// revisions sets the wanted, the active and the evaluated revision; "" is none.
func revisions(b *interpreterv1alpha1.ScriptBundle, wanted, active, evaluated string) *interpreterv1alpha1.ScriptBundle {
	if wanted != "" {
		b.Status.Wanted = &interpreterv1alpha1.BundleRevision{Revision: wanted}
	}
	if active != "" {
		b.Status.Active = &interpreterv1alpha1.BundleRevision{Revision: active}
	}
	if evaluated != "" {
		b.Status.Shadow = &interpreterv1alpha1.ShadowReport{Revision: evaluated}
	}
	return b
}

func inShadow(b *interpreterv1alpha1.ScriptBundle) *interpreterv1alpha1.ScriptBundle {
	b.Spec.Mode = interpreterv1alpha1.ModeShadow
	return b
}

func kept(b *interpreterv1alpha1.ScriptBundle, revision string) *interpreterv1alpha1.ScriptBundle {
	b.Spec.Revision = revision
	return b
}

func withParameters(b *interpreterv1alpha1.ScriptBundle, active string) *interpreterv1alpha1.ScriptBundle {
	b.Spec.Parameters = map[string]string{"size": "large"}
	b.Status.Active.Parameters = map[string]string{"size": active}
	return b
}

func TestOutcomeOf(t *testing.T) {
	waits, done := outcome{}, outcome{done: true}
	refused := func(by string) outcome { return outcome{refusal: by + " says why"} }
	tests := map[string]struct {
		bundle *interpreterv1alpha1.ScriptBundle
		of     string
		want   outcome
	}{
		"nothing is reported":                       {reported(), "", waits},
		"it answers":                                {revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), newRevision, newRevision, ""), "", done},
		"it answers with the parameters":            {withParameters(revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), newRevision, newRevision, ""), "large"), "", done},
		"it answers with other parameters":          {withParameters(revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), newRevision, newRevision, ""), "small"), "", waits},
		"a tag that is not there, and none before":  {reported("Fetched False 2", "Verified Unknown 2", "Active False 2"), "", refused("Fetched")},
		"a tag that is not there, another answers":  {revisions(reported("Fetched False 2", "Verified Unknown 2", "Active True 2"), oldRevision, oldRevision, ""), "", refused("Fetched")},
		"the same, before Active is about it":       {revisions(reported("Fetched False 2", "Verified Unknown 2", "Active True 1"), oldRevision, oldRevision, ""), "", refused("Fetched")},
		"the same, before Verified is about it":     {revisions(reported("Fetched False 2", "Verified True 1", "Active True 2"), oldRevision, oldRevision, ""), "", refused("Fetched")},
		"a registry that went away later":           {revisions(reported("Fetched False 2", "Verified True 2", "Active True 2"), newRevision, newRevision, ""), "", done},
		"the same, and it was refused":              {revisions(reported("Fetched False 2", "Verified True 2", "Active False 2"), newRevision, oldRevision, ""), "", refused("Active")},
		"a signature of nobody":                     {revisions(reported("Fetched True 2", "Verified False 2", "Active False 2"), oldRevision, oldRevision, ""), "", refused("Verified")},
		"a stage that failed":                       {revisions(reported("Fetched True 2", "Verified True 2", "Active False 2"), newRevision, oldRevision, ""), "", refused("Active")},
		"a stage that failed for the spec before":   {revisions(reported("Fetched True 1", "Verified True 1", "Active False 1"), newRevision, oldRevision, ""), "", waits},
		"a stage that failed, and no more is said":  {reported("Active False 2"), "", refused("Active")},
		"a spec that was not seen":                  {revisions(reported("Fetched True 1", "Verified True 1", "Active True 1"), oldRevision, oldRevision, ""), "", waits},
		"a tag that was missing in the spec before": {revisions(reported("Fetched False 1", "Verified Unknown 1", "Active True 1"), oldRevision, oldRevision, ""), "", waits},
		"fetched, and not tried yet":                {revisions(reported("Fetched True 2", "Verified True 2", "Active True 1"), newRevision, oldRevision, ""), "", waits},
		"fetched after a failure, not tried yet":    {revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), newRevision, oldRevision, ""), "", waits},
		"it is tried":                               {revisions(reported("Fetched True 2", "Verified True 2", "Active Unknown 2"), newRevision, oldRevision, ""), "", waits},
		"a revision that is kept":                   {kept(revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), oldRevision, oldRevision, ""), oldRevision), "", done},
		"a revision that is not kept":               {kept(revisions(reported("Fetched False 2", "Verified Unknown 2", "Active False 2"), oldRevision, oldRevision, ""), newRevision), "", refused("Fetched")},

		"evaluated":                                {inShadow(revisions(reported("Fetched True 2", "Verified True 2", "Shadowed True 2", "Active True 2"), newRevision, oldRevision, newRevision)), "", done},
		"evaluated, and nothing answers":           {inShadow(revisions(reported("Fetched True 2", "Verified True 2", "Shadowed True 2", "Active False 2"), newRevision, "", newRevision)), "", done},
		"another was evaluated":                    {inShadow(revisions(reported("Fetched True 2", "Verified True 2", "Shadowed True 2", "Active True 2"), newRevision, oldRevision, oldRevision)), "", waits},
		"the spec before was evaluated":            {inShadow(revisions(reported("Fetched True 2", "Verified True 2", "Shadowed True 1", "Active True 2"), newRevision, oldRevision, newRevision)), "", waits},
		"to be evaluated, a tag that is not there": {inShadow(revisions(reported("Fetched False 2", "Verified Unknown 2", "Shadowed True 1", "Active True 2"), oldRevision, oldRevision, oldRevision)), "", refused("Fetched")},
		"evaluated, a registry that went away":     {inShadow(revisions(reported("Fetched False 2", "Verified True 2", "Shadowed True 2"), newRevision, "", newRevision)), "", done},
		"it cannot be evaluated":                   {inShadow(revisions(reported("Fetched True 2", "Verified True 2", "Shadowed False 2"), newRevision, "", "")), "", refused("Shadowed")},

		"promoted, a registry that is away":                {revisions(reported("Fetched False 2", "Verified Unknown 2", "Active True 2"), newRevision, newRevision, ""), newRevision, done},
		"promoted, a registry that is away, not tried yet": {revisions(reported("Fetched False 2", "Verified Unknown 2", "Active True 1"), newRevision, oldRevision, ""), newRevision, waits},
		"the same source, and it has another since":        {revisions(reported("Fetched True 2", "Verified True 2", "Active True 2"), newRevision, oldRevision, ""), oldRevision, waits},
		"the same source in shadow, which is away":         {inShadow(revisions(reported("Fetched False 2", "Verified Unknown 2", "Shadowed True 1"), newRevision, "", newRevision)), newRevision, refused("Fetched")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := outcomeOf(test.bundle, test.of)
			if got != test.want {
				t.Errorf("%+v; want %+v", got, test.want)
			}
			if err := verdictOf([]interpreterv1alpha1.ScriptBundle{*test.bundle}); test.of == "" && (err == nil) != test.want.done {
				t.Errorf("status ends with %v; want an error unless it is as the spec says", err)
			}
		})
	}
}

func TestUnchangedSource(t *testing.T) {
	spec := interpreterv1alpha1.ScriptBundleSpec{
		Source: interpreterv1alpha1.BundleSource{OCI: &interpreterv1alpha1.OCISource{Reference: "r/web:1"}},
		Keys:   []interpreterv1alpha1.BundleKey{{Name: "a", PublicKey: "x"}}, Mode: interpreterv1alpha1.ModeShadow,
	}
	verified := revisions(reported("Fetched True 2", "Verified True 2"), newRevision, "", "")
	verified.Spec = spec
	unverified := revisions(reported("Fetched False 2", "Verified Unknown 2"), newRevision, "", "")
	unverified.Spec = spec
	changed := func(f func(*interpreterv1alpha1.ScriptBundleSpec)) *interpreterv1alpha1.ScriptBundleSpec {
		s := spec.DeepCopy()
		f(s)
		return s
	}
	tests := map[string]struct {
		before *interpreterv1alpha1.ScriptBundle
		spec   *interpreterv1alpha1.ScriptBundleSpec
		want   string
	}{
		"the mode":             {verified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Mode = interpreterv1alpha1.ModeActive }), newRevision},
		"what was not fetched": {unverified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Mode = interpreterv1alpha1.ModeActive }), ""},
		"the reference":        {verified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Source.OCI.Reference = "r/web:2" }), ""},
		"no TLS":               {verified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Source.OCI.PlainHTTP = true }), ""},
		"the keys":             {verified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Keys = nil }), ""},
		"a revision is kept":   {verified, changed(func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision = oldRevision }), ""},
		"none is kept now":     {kept(verified.DeepCopy(), oldRevision), changed(func(*interpreterv1alpha1.ScriptBundleSpec) {}), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := unchangedSource(test.before, test.spec); got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
		})
	}
}
