// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Generic is the embedded bundle for kinds that nobody wrote a script for.
const Generic = bundle.Generic

// The questions that the bundle Generic answers.
const (
	GenericReplicas     = "replicas"
	GenericHealth       = "health"
	GenericDependencies = "dependencies"
)

// GenericAnswers lists all of them.
func GenericAnswers() []string { return []string{GenericReplicas, GenericHealth, GenericDependencies} }

// Answers reports whether the bundle Generic answers a question.
func (o Options) Answers(question string) bool {
	return o.Generic == nil || slices.Contains(o.Generic, question)
}

// Validate returns an error if there is no such question.
func (o Options) Validate() error {
	for _, question := range o.Generic {
		if !slices.Contains(GenericAnswers(), question) {
			return fmt.Errorf("--generic-answers: %s", script.Unknown("question", question, GenericAnswers()))
		}
	}
	return nil
}

// restrict returns the rules of the bundle Generic without those for any kind that nobody
// wants.
func (o Options) restrict(set engine.RuleSet) engine.RuleSet {
	rules := maps.Clone(set.Kinds[engine.AnyKind])
	for op, question := range map[engine.Op]string{
		engine.InterpretHealth: GenericHealth, engine.InterpretDependency: GenericDependencies,
	} {
		if !o.Answers(question) {
			delete(rules, op)
		}
	}
	set.Kinds = map[schema.GroupVersionKind]engine.Rules{engine.AnyKind: rules}
	return set
}
