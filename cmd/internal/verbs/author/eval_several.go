// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/recording"
)

// objectAnswer is the answer about one of several objects.
type objectAnswer struct {
	Object objectIdentity `json:"object"`
	Answer map[string]any `json:"answer"`
	// Trace and Profile are there where they were asked for.
	Trace   *recording.Trace      `json:"trace,omitempty"`
	Profile *recording.GasProfile `json:"profile,omitempty"`

	request engine.Request
}

// objectIdentity says which object it is.
type objectIdentity struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// runAll asks about several objects and prints the answers. An error about one leaves the
// others as they are; objects that no script answers are named on stderr.
func (o *evalOptions) runAll(op engine.Operation, questions []engine.Request) error {
	var (
		all     = []objectAnswer{}
		nothing []error
		errs    []error
	)
	for _, q := range questions {
		answer, err := o.ask(op, q)
		switch {
		case verb.CodeOf(err) == verb.ExitNothing:
			nothing = append(nothing, fmt.Errorf("%s %s: %w", q.Object.GetKind(), q.Object.GetName(), err))
		case err != nil:
			errs = append(errs, fmt.Errorf("%s %s: %w", q.Object.GetKind(), q.Object.GetName(), err))
		default:
			object := objectIdentity{q.Object.GetAPIVersion(), q.Object.GetKind(), q.Object.GetNamespace(), q.Object.GetName()}
			all = append(all, objectAnswer{object, answer, o.recorder.trace, o.recorder.profile, q})
		}
	}
	if err := o.writeAll(op, all); err != nil {
		return err
	}
	if o.output != "json" {
		for _, a := range all {
			runRecord{a.Trace, a.Profile}.print(o.streams.Err, a.request)
		}
	}
	if err := o.recorder.write(); err != nil {
		return err
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if len(all) == 0 {
		return nothing[0]
	}
	author.Printer{Out: o.streams.Err}.Notes(nothing)
	return nil
}

// writeAll prints answers: a document for each, one list as JSON, or the differences one after the other.
func (o *evalOptions) writeAll(op engine.Operation, all []objectAnswer) error {
	if o.output == "diff" {
		for _, a := range all {
			text, err := o.encode(op, a.request, a.Answer)
			if err != nil {
				return err
			}
			if _, err := o.streams.Out.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	if o.output == "json" {
		text, err := verb.Encode(o.output, all)
		if err != nil {
			return err
		}
		_, err = o.streams.Out.Write(text)
		return err
	}
	var documents [][]byte
	for _, a := range all {
		// Which object it is comes first, where the keys would be sorted.
		object, err := verb.Encode(o.output, map[string]any{"object": a.Object})
		if err != nil {
			return err
		}
		answer, err := verb.Encode(o.output, map[string]any{"answer": a.Answer})
		if err != nil {
			return err
		}
		documents = append(documents, append(object, answer...))
	}
	_, err := o.streams.Out.Write(bytes.Join(documents, []byte("---\n")))
	return err
}
