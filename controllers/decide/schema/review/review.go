// SPDX-License-Identifier: Apache-2.0

// Package review finds what is wrong with policies beyond what package api can find: state
// preservation rules whose JSONPath does not parse, and paths that objects of the selected
// kinds do not have. The webhooks and dragoman check call it.
//
// In go a policy and the schemas of kinds, out come errors and warnings with the path of a
// field. The package refuses to know where schemas come from.
package review

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/schemapath"
)

// Schemas returns the schema of a kind; nil if it is not known.
type Schemas func(schema.GroupVersionKind) *schemapath.Schema

// Warning is something that is probably not meant.
type Warning struct {
	// Field is the path of the field from the root of the policy.
	Field   string
	Message string
}

// String returns field: message.
func (w Warning) String() string { return w.Field + ": " + w.Message }

// Validate returns what is wrong with an object beyond what its Validate finds.
func Validate(object runtime.Object) field.ErrorList {
	policy, ok := object.(policyv1alpha1.Policy)
	if !ok {
		return nil
	}
	var errs field.ErrorList
	for _, r := range rulesOf(policy.GetSpec()) {
		if r.JSONPath == "" || r.HasOpenBrace() {
			continue // which the validation of the kind reports
		}
		if _, err := schemapath.ParseTemplate(r.JSONPath); err != nil {
			errs = append(errs, field.Invalid(r.path, r.JSONPath, err.Error()+"; write the path of a field of the status in braces, such as { .jobStatus.jobId }"))
		}
	}
	return errs
}

// Warnings returns what is probably not meant in an object: paths that the selected kinds
// do not have, and resources of a quota that nothing counts. Kinds whose schema is not known are left out. It asks for a schema only if
// the object has a path to look up.
func Warnings(object runtime.Object, schemas Schemas) []Warning {
	switch policy := object.(type) {
	case policyv1alpha1.Policy:
		return ofRules(policy.GetSpec(), schemas)
	case policyv1alpha1.Override:
		return ofOverriders(policy.GetSpec(), schemas)
	case *policyv1alpha1.FederatedResourceQuota:
		return ofQuota(&policy.Spec)
	}
	return nil
}

// ofQuota warns about the resources of a quota that nothing counts.
func ofQuota(spec *policyv1alpha1.FederatedResourceQuotaSpec) []Warning {
	var found []Warning
	for _, name := range quota.Uncounted(spec) {
		found = append(found, Warning{field.NewPath("spec", "overall").Key(string(name)).String(), quota.WhyUncounted})
	}
	return found
}

// rule is a state preservation rule, and the path of its jsonPath.
type rule struct {
	policyv1alpha1.StatePreservationRule
	path *field.Path
}

// rulesOf lists the rules of a policy.
func rulesOf(spec *policyv1alpha1.PropagationSpec) []rule {
	if spec.Failover == nil {
		return nil
	}
	var all []rule
	add := func(s *policyv1alpha1.StatePreservation, of string) {
		if s == nil {
			return
		}
		for i, r := range s.Rules {
			all = append(all, rule{r, field.NewPath("spec", "failover", of, "statePreservation", "rules").Index(i).Child("jsonPath")})
		}
	}
	if a := spec.Failover.Application; a != nil {
		add(a.StatePreservation, "application")
	}
	if c := spec.Failover.Cluster; c != nil {
		add(c.StatePreservation, "cluster")
	}
	return all
}

// added are the fields that the bundles of the program add to the status that they reflect,
// beside what the kinds have.
var added = []string{"generation", "resourceTemplateGeneration"}

func ofRules(spec *policyv1alpha1.PropagationSpec, schemas Schemas) []Warning {
	var found []Warning
	for _, r := range rulesOf(spec) {
		parsed, err := schemapath.ParseTemplate(r.JSONPath)
		if err != nil {
			continue
		}
		if !parsed.HasPath() {
			found = append(found, Warning{r.path.String(), fmt.Sprintf("there is no path in braces, so the state is the text %q itself; write { %s }", r.JSONPath, r.JSONPath)})
			continue
		}
		for _, kind := range kindsOf(spec.ResourceSelectors) {
			s := schemas(kind)
			if s == nil {
				continue
			}
			if missing := s.Template(parsed, "status", added...); missing != nil {
				found = append(found, Warning{r.path.String(), has(kind, missing)})
			}
		}
	}
	return found
}

func has(kind schema.GroupVersionKind, missing *schemapath.Missing) string {
	return fmt.Sprintf("the schema of %s has no %s", kind.Kind, missing)
}

// kindsOf lists the kinds that selectors select, each once.
func kindsOf(selectors []policyv1alpha1.ResourceSelector) []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	seen := map[schema.GroupVersionKind]bool{}
	for _, s := range selectors {
		kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		if !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
