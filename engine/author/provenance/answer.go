// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"encoding/json"
	"errors"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Object is what is answered about one object.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// Operations has an answer for each operation that was asked, in the order of the documents.
	Operations []Answer `json:"operations"`
	// OtherVersions are those of the kind that there are scripts for, where none of this one was
	// asked.
	OtherVersions []string `json:"otherVersions,omitempty"`
}

// Answer is what was answered to one operation.
type Answer struct {
	Operation engine.Op `json:"operation"`
	// By are the scripts that were asked: none where no script answers, several where their answers
	// are united, as those of customizations about dependencies are.
	By []By `json:"by"`
	// Answer are the results by their names; nil where there is none.
	Answer map[string]any `json:"answer,omitempty"`
	// Changes is the merge patch from the object to the answer, where that is an object; nil elsewhere.
	Changes json.RawMessage `json:"changes,omitempty"`
	// Error is what went wrong; nil where nothing did.
	Error *Failure `json:"error,omitempty"`
	// Assumed are the arguments that were not given, and what was passed instead.
	Assumed string `json:"assumed,omitempty"`
	// NotAsked are the sources that have a script for it too, and whose layer or name comes later.
	NotAsked []Source `json:"notAsked,omitempty"`

	err error
}

// By is one script that was asked.
type By struct {
	Source Source `json:"source"`
	// Function is the function of the script that answers; "" for an expression.
	Function string `json:"function,omitempty"`
	// Entry is where it begins, Returned where it returned; nil where it did not, or at its end.
	Entry    *Place `json:"entry,omitempty"`
	Returned *Place `json:"returned,omitempty"`
	Gas      int64  `json:"gas"`
}

// Place is a place in a script.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

// placeOf returns a position as a place, nil where it is not known.
func placeOf(at script.Position) *Place {
	if at.Line == 0 {
		return nil
	}
	return &Place{at.File, at.Line, at.Column}
}

// String returns file:line, and the column where it is known.
func (p *Place) String() string {
	return script.Position{File: p.File, Line: p.Line, Column: p.Column}.String()
}

// Failure is an error of a run.
type Failure struct {
	Message string `json:"message"`
	// Code is that of script.Error; "" where the run did not begin.
	Code string `json:"code,omitempty"`
	// At is where it arose; nil where that is not known.
	At *Place `json:"at,omitempty"`
}

// Question is a request, and what of its arguments was not given.
type Question struct {
	engine.Request
	Assumed string
}

// Explain asks all questions about one object, of which there is at least one.
func (r *Rules) Explain(questions []Question) Object {
	o := questions[0].Object
	found := Object{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Operations: []Answer{}}
	answered := false
	for _, q := range questions {
		a := r.ask(q)
		answered = answered || a.byScriptOfKind()
		found.Operations = append(found.Operations, a)
	}
	if !answered {
		found.OtherVersions = r.versions(o.GroupVersionKind())
	}
	return found
}

// byScriptOfKind reports whether a script answered that is about the kind, and not about any.
func (a Answer) byScriptOfKind() bool {
	return slices.ContainsFunc(a.By, func(b By) bool { return b.Source.Layer != Generic && b.Source.Layer != Scale })
}

// ask asks one question.
func (r *Rules) ask(q Question) Answer {
	a := Answer{Operation: q.Operation, By: []By{}}
	r.runs = nil
	r.recording.Reset()
	answer, err := r.interpreter.Snapshot().Evaluate(q.Request)
	if errors.Is(err, engine.ErrNoRule) {
		return a
	}
	a.Assumed = q.Assumed
	a.By = append(a.By, r.runs...)
	a.NotAsked = r.others(q.Object.GroupVersionKind(), q.Operation, a.By)
	if err != nil {
		a.Error, a.err = failureOf(err), err
		return a
	}
	op, err := engine.Describe(q.Operation)
	if err != nil {
		return a // it was answered
	}
	if op.Patch {
		a.Changes = changes(q.Object, answer[0])
	}
	a.Answer = op.Named(answer)
	return a
}

// changes returns the merge patch from an object to an answer, nil where the answer is no object.
func changes(object *unstructured.Unstructured, answer any) json.RawMessage {
	after, isObject := answer.(*unstructured.Unstructured)
	if !isObject {
		return nil
	}
	before, errBefore := json.Marshal(object.Object)
	text, errAfter := json.Marshal(after.Object)
	if errBefore != nil || errAfter != nil {
		return nil
	}
	patch, err := jsonpatch.CreateMergePatch(before, text)
	if err != nil {
		return nil
	}
	return patch
}

// failureOf returns an error as a failure.
func failureOf(err error) *Failure {
	f := &Failure{Message: err.Error()}
	if e, ok := errors.AsType[*script.Error](err); ok {
		f.Message, f.Code, f.At = e.Message, string(e.Code), placeOf(e.Position)
	}
	return f
}

// Err returns the errors of all scripts that failed, joined.
func (o Object) Err() error {
	var all []error
	for _, a := range o.Operations {
		all = append(all, a.err)
	}
	return errors.Join(all...)
}

// Answered reports whether a script was asked anything.
func (o Object) Answered() bool {
	for _, a := range o.Operations {
		if len(a.By) > 0 || a.Error != nil {
			return true
		}
	}
	return false
}
