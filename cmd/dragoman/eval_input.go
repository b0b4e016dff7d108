// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
)

// argumentFlags are the flags for what operations take beside an object.
var argumentFlags = []struct {
	kind     engine.ParamKind
	name     string
	required bool
}{
	{engine.ObservedParam, "observed", true},
	{engine.ItemsParam, "items", false},
	{engine.CountParam, "replicas", true},
	{engine.DivisionParam, "division", false},
	{engine.StateParam, "state", false},
	{engine.RelatedParam, "related", false},
	{engine.FailoverParam, "failover", false},
}

// question reads the arguments of the operation. A flag that the operation does not take
// is an error, as is a missing one that it needs.
func (o *evalOptions) question(op engine.Operation) (engine.Request, error) {
	q := engine.Request{Operation: op.Name, Replicas: o.replicas, State: o.state, Failover: o.failover}
	for _, f := range argumentFlags {
		takes := op.Takes(f.kind)
		if o.given(f.name) && !takes {
			return q, fmt.Errorf("%s does not take --%s", op.Name, f.name)
		}
		if takes && !o.given(f.name) && f.required {
			return q, fmt.Errorf("%s needs --%s", op.Name, f.name)
		}
	}
	if o.readsStdinAgain() {
		return q, errors.New("stdin can be read only once; pass - to one flag")
	}
	var err error
	if q.Object, err = o.readObject(o.object); err != nil {
		return q, err
	}
	if o.observed != "" {
		if q.Observed, err = o.readObject(o.observed); err != nil {
			return q, err
		}
	}
	if q.Items, err = readArgument(o, o.items, author.StatusItems); err != nil {
		return q, err
	}
	if q.Related, err = readArgument(o, o.related, author.Objects); err != nil {
		return q, err
	}
	q.Division, err = readArgument(o, o.division, author.Division)
	return q, err
}

// readArgument reads an argument from the file of a flag; without one it is the zero value.
func readArgument[T any](o *evalOptions, file string, read func(name string, data []byte) (T, error)) (T, error) {
	var none T
	if file == "" {
		return none, nil
	}
	name, data, err := o.streams.read(file)
	if err != nil {
		return none, err
	}
	return read(name, data)
}

// readsStdinAgain reports whether more than one flag names stdin.
func (o *evalOptions) readsStdinAgain() bool {
	count := 0
	for _, file := range []string{o.object, o.observed, o.items, o.division, o.related, o.crd} {
		if file == "-" {
			count++
		}
	}
	return count > 1
}

// readObject returns the one object of a file.
func (o *evalOptions) readObject(file string) (*unstructured.Unstructured, error) {
	name, data, err := o.streams.read(file)
	if err != nil {
		return nil, err
	}
	return author.Object(name, data)
}

// customize reads customizations from a file.
func (o *evalOptions) customize(c *engine.Compiler, i *engine.Interpreter) error {
	name, data, err := o.streams.read(o.customization)
	if err != nil {
		return err
	}
	sets, err := author.Customizations(c, filepath.ToSlash(name), data)
	author.Printer{Out: o.streams.Err}.Warnings(author.CustomizationWarnings(c, filepath.ToSlash(name), data))
	for _, set := range sets {
		err = errors.Join(err, i.Set(engine.Customizations, set))
	}
	return err
}
