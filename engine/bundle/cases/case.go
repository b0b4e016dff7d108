// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Case is a request and the answer that is expected.
type Case struct {
	// File and Line are where the case begins.
	File string
	Line int
	Name string
	// Operation is that of the request.
	Operation engine.Operation
	Question  engine.Request
	// Parameters are values for parameters of the bundle that answers.
	Parameters map[string]string

	// Skip is why the case is not run; "" for one that is.
	Skip string
	// MaxGas is what the script may take; 0 is no bound but that of its bundle.
	MaxGas int64

	// output has what is expected of each result that the case names, and subset what each must contain.
	output, subset map[string]yamldoc.Node
	// ignored are the paths at which the output does not count.
	ignored []ignoredPath
	// assertions are conditions about the answer.
	assertions []*assertion
	// objectKey is the key of the object in the document.
	objectKey string
	// failure is the error that is expected, or nil.
	failure *expectedError
	// derived reports whether the output is what the document says by changes, and repeated whether the
	// document stands for several cases.
	derived, repeated bool
	// published reports whether the case is of the published form.
	published bool
}

// The keys of objects in the document of a case.
const (
	desiredKey  = "desiredObj"
	observedKey = "observedObj"
)

// Kind is the kind of the case's object.
func (c *Case) Kind() schema.GroupVersionKind { return c.Question.Object.GroupVersionKind() }

// Read returns the cases of a file. A file of which no document looks like a case, such
// as one of Kubernetes objects, holds none: both are nil.
//
// The error is what is wrong with each document, *yamldoc.Error and several of them as
// *yamldoc.Problems; the valid cases are returned all the same.
// With a nil compiler the conditions of cases are read and not compiled; a case that has some cannot be run
// then.
func Read(c *engine.Compiler, file string, data []byte) ([]*Case, error) {
	return fileReader(c).Read(file, data)
}

// looksLikeCase reports whether a document has a key that makes a case, other than the name.
func looksLikeCase(n yamldoc.Node) bool {
	m, _ := n.Value.(map[string]any)
	return hasCaseKey(func(key string) bool { _, ok := m[key]; return ok })
}

// hasCaseKey reports whether has returns true for a key that makes a case.
func hasCaseKey(has func(key string) bool) bool {
	return slices.ContainsFunc([]string{"operation", "output", "changes", "expectSubset", "assert", "expectError", "desiredObj", "observedObj"}, has)
}

// parsedCase is a case that is being read.
type parsedCase struct {
	Case
	reader                           *Reader
	base                             *base
	desired, observed                *unstructured.Unstructured
	operation                        string
	output, changes, expectError     yamldoc.Node
	subset, ignore, assert           yamldoc.Node
	items, replicas, division, state yamldoc.Node
	related, failover                yamldoc.Node
}

// readCase reads a document as a case, whose objects are patches on a base if there is one. A panic is an error
// of the document.
func (r *Reader) readCase(n yamldoc.Node, base *base) (c *Case, err error) {
	defer script.Recover(&err, script.Position{File: n.File, Line: n.Line}, "reading the case")
	d := parsedCase{reader: r, base: base, Case: Case{File: n.File, Line: n.Line}}
	var description string
	err = n.Fields(yamldoc.Fields{
		"name":          yamldoc.String(&d.Name),
		"description":   yamldoc.String(&description),
		"desiredObj":    d.object(&d.desired),
		"observedObj":   d.object(&d.observed),
		"statusItems":   yamldoc.Keep(&d.items),
		"inputReplicas": yamldoc.Keep(&d.replicas),
		"division":      yamldoc.Keep(&d.division),
		"state":         yamldoc.Keep(&d.state),
		"related":       yamldoc.Keep(&d.related),
		"failover":      yamldoc.Keep(&d.failover),
		"operation":     yamldoc.String(&d.operation),
		"parameters":    yamldoc.StringMap(&d.Parameters),
		"output":        yamldoc.Keep(&d.output),
		"changes":       yamldoc.Keep(&d.changes),
		"expectSubset":  yamldoc.Keep(&d.subset),
		"ignore":        yamldoc.Keep(&d.ignore),
		"assert":        yamldoc.Keep(&d.assert),
		"expectError":   yamldoc.Keep(&d.expectError),
		"skip":          d.reason,
		"maxGas":        d.bound,
	}, "name", "operation")
	if err != nil {
		return nil, err
	}
	op, err := engine.ParseOperation(d.operation)
	if err != nil {
		return nil, n.Get("operation").Errorf("%v", err)
	}
	d.Operation = op
	// What is expected is made of the objects: it is not read of a case whose objects are wrong.
	if err := d.objects(n); err != nil {
		return nil, err
	}
	if err := errors.Join(d.arguments(), d.expectation(n)); err != nil {
		return nil, err
	}
	return &d.Case, nil
}

// objects decides which object the request is about.
func (d *parsedCase) objects(n yamldoc.Node) error {
	d.Question.Operation = d.Operation.Name
	switch {
	case d.Operation.Takes(engine.ObservedParam):
		if d.desired == nil || d.observed == nil {
			return n.Errorf("%s needs desiredObj and observedObj", d.Operation.Name)
		}
		d.Question.Object, d.Question.Observed, d.objectKey = d.desired, d.observed, desiredKey
	case (d.desired == nil) == (d.observed == nil):
		return n.Errorf("%s needs exactly one of desiredObj and observedObj", d.Operation.Name)
	case d.desired != nil:
		d.Question.Object, d.objectKey = d.desired, desiredKey
	default:
		d.Question.Object, d.objectKey = d.observed, observedKey
	}
	return nil
}

// arguments reads what else the operation takes; what it does not take must not be
// there.
func (d *parsedCase) arguments() error {
	q := &d.Question
	return errors.Join(
		d.argument(engine.ItemsParam, d.items, func(n yamldoc.Node) error { return readItems(n, &q.Items) }),
		d.argument(engine.CountParam, d.replicas, yamldoc.Int(&q.Replicas)),
		d.argument(engine.DivisionParam, d.division, func(n yamldoc.Node) error { return readDivision(n, &q.Division) }),
		d.argument(engine.StateParam, d.state, yamldoc.StringMap(&q.State)),
		d.argument(engine.FailoverParam, d.failover, yamldoc.Bool(&q.Failover)),
		d.argument(engine.RelatedParam, d.related, func(n yamldoc.Node) error {
			return n.Items(func(n yamldoc.Node) error {
				var o *unstructured.Unstructured
				err := object(&o)(n)
				q.Related = append(q.Related, o)
				return err
			})
		}),
	)
}

// reason reads why a case is skipped.
func (d *parsedCase) reason(n yamldoc.Node) error {
	err := yamldoc.String(&d.Skip)(n)
	if err == nil && strings.TrimSpace(d.Skip) == "" {
		return n.Errorf("want the reason why the case is not run")
	}
	return err
}

// bound reads how much gas the script may take.
func (d *parsedCase) bound(n yamldoc.Node) error {
	err := yamldoc.Int(&d.MaxGas)(n)
	if err == nil && d.MaxGas == 0 {
		return n.Errorf("want the gas that the script may take, from 1 on")
	}
	return err
}

func (d *parsedCase) argument(kind engine.ParamKind, n yamldoc.Node, read func(yamldoc.Node) error) error {
	if n.Value == nil {
		return nil
	}
	if !d.Operation.Takes(kind) {
		return n.Errorf("%s does not read it", d.Operation.Name)
	}
	return read(n)
}

// object reads a Kubernetes object, or what it has other than the base.
func (d *parsedCase) object(into **unstructured.Unstructured) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		n, err := d.reader.started(n, d.base)
		if err != nil {
			return err
		}
		return object(into)(n)
	}
}

// object reads a Kubernetes object.
func object(into **unstructured.Unstructured) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		m, err := objectOf(n)
		*into = &unstructured.Unstructured{Object: m}
		return err
	}
}

// objectOf returns a Kubernetes object.
func objectOf(n yamldoc.Node) (map[string]any, error) {
	m, ok := n.Value.(map[string]any)
	if !ok {
		return nil, n.Errorf("want an object")
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if s, _ := m[key].(string); s == "" {
			return m, n.Errorf("an object must have %s", key)
		}
	}
	return m, nil
}

// resultNamed returns the result of an operation by its name.
func resultNamed(op engine.Operation, name string) (engine.Result, error) {
	for _, r := range op.Results {
		if r.Name == name {
			return r, nil
		}
	}
	return engine.Result{}, errors.New(yamldoc.Unknown("result of "+string(op.Name), name, op.ResultNames()))
}

// Spelled reports whether the document has the output of the case, and of no other one, and nothing else
// that its author expects.
func (c *Case) Spelled() bool {
	return !c.derived && !c.repeated && len(c.output) > 0 && len(c.subset) == 0 && len(c.assertions) == 0
}

// Where returns file and line.
func (c *Case) Where() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }
