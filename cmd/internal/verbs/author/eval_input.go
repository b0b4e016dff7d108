// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/script"
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

// questions reads the objects and the arguments of the operation: a request for each
// object, at least one. A flag that the operation does not take is an error, as is a missing
// one that it needs.
func (o *evalOptions) questions(op engine.Operation) ([]engine.Request, error) {
	if o.object == "" && o.observed != "" && !op.Takes(engine.ObservedParam) {
		o.object, o.observed = o.observed, ""
	}
	if err := o.checkFlags(op); err != nil {
		return nil, err
	}
	objects, err := o.readObjects(o.object)
	if err != nil {
		return nil, err
	}
	if objects, err = o.chooseObjects(objects); err != nil {
		return nil, err
	}
	q, err := o.arguments(op)
	if err != nil {
		return nil, err
	}
	var observed []*unstructured.Unstructured
	if o.observed != "" {
		if observed, err = o.readObjects(o.observed); err != nil {
			return nil, err
		}
	}
	var all []engine.Request
	for _, object := range objects {
		one := q
		one.Object = object
		if o.observed != "" {
			if one.Observed, err = counterpart(o.observed, observed, object, len(objects) == 1); err != nil {
				return nil, err
			}
		}
		o.setNamespaces(op, one)
		all = append(all, one)
	}
	return all, nil
}

// checkFlags returns an error for a flag that the operation does not take, or needs.
func (o *evalOptions) checkFlags(op engine.Operation) error {
	for _, f := range argumentFlags {
		takes := op.Takes(f.kind)
		if o.given(f.name) && !takes && (f.kind != engine.ObservedParam || o.observed != "") {
			return fmt.Errorf("%s does not take --%s", op.Name, f.name)
		}
		if takes && !o.given(f.name) && f.required {
			return fmt.Errorf("%s needs --%s", op.Name, f.name)
		}
	}
	switch {
	case o.object == "":
		return errors.New("name the file with the object by -f")
	case o.readsStdinAgain():
		return errors.New("stdin can be read only once; pass - to one flag")
	}
	return verb.CheckReplicas(o.given("replicas"), o.replicas)
}

// arguments reads what the operation takes beside objects.
func (o *evalOptions) arguments(op engine.Operation) (engine.Request, error) {
	q := engine.Request{Operation: op.Name, Replicas: o.replicas, Failover: o.failover}
	var err error
	if q.State, err = o.state.Read(o.streams); err != nil {
		return q, err
	}
	if q.Items, err = readArgument(o, o.items, source.StatusItems); err != nil {
		return q, err
	}
	if q.Related, err = readArgument(o, o.related, source.Objects); err != nil {
		return q, err
	}
	q.Division, err = readArgument(o, o.division, source.Division)
	return q, err
}

// setNamespaces gives the objects of a request the namespace that they lack. The answer of
// an operation that returns the object would have it, so there only a user who names one
// does.
func (o *evalOptions) setNamespaces(op engine.Operation, q engine.Request) {
	if op.Patch && !o.given("namespace") {
		return
	}
	for _, object := range []*unstructured.Unstructured{q.Object, q.Observed} {
		if object != nil && object.GetNamespace() == "" {
			object.SetNamespace(o.namespace)
		}
	}
}

// chooseObjects returns the objects that --kind and --name choose; it is an error if there are none.
func (o *evalOptions) chooseObjects(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	var names []string
	for _, object := range objects {
		names = append(names, object.GetKind()+"/"+object.GetName())
		if (o.kind == "" || strings.EqualFold(o.kind, object.GetKind())) && (o.name == "" || o.name == object.GetName()) {
			all = append(all, object)
		}
	}
	if len(objects) == 0 {
		return nil, fmt.Errorf("%s: want an object, got none", o.object)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no object has kind %q and name %q (empty is any); there are %s", o.object, o.kind, o.name, script.List(names))
	}
	return all, nil
}

// counterpart returns the observed object for a desired one: the only one of its file where
// there is one of each, otherwise that of the same kind, namespace and name.
func counterpart(file string, observed []*unstructured.Unstructured, object *unstructured.Unstructured, alone bool) (*unstructured.Unstructured, error) {
	if alone && len(observed) == 1 {
		return observed[0], nil
	}
	for _, o := range observed {
		if o.GroupVersionKind() == object.GroupVersionKind() && o.GetNamespace() == object.GetNamespace() && o.GetName() == object.GetName() {
			return o, nil
		}
	}
	return nil, fmt.Errorf("%s: there is no %s %s, which is asked about", file, object.GetKind(), object.GetName())
}

// readObjects returns the objects of a file, and those of lists in it.
func (o *evalOptions) readObjects(file string) ([]*unstructured.Unstructured, error) {
	documents, err := o.streams.Documents(file)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, d := range documents {
		all = append(all, d.Object)
	}
	return all, nil
}

// readArgument reads an argument from the file of a flag; without one it is the zero value.
func readArgument[T any](o *evalOptions, file string, read func(name string, data []byte) (T, error)) (T, error) {
	var none T
	if file == "" {
		return none, nil
	}
	name, data, err := o.streams.Read(file)
	if err != nil {
		return none, err
	}
	return read(name, data)
}

// readsStdinAgain reports whether more than one flag names stdin.
func (o *evalOptions) readsStdinAgain() bool {
	count := 0
	for _, file := range append([]string{o.object, o.observed, o.items, o.division, o.related, o.crd}, o.state.Files...) {
		if file == "-" {
			count++
		}
	}
	return count > 1
}

// readObject returns the one object of a file.
func (o *evalOptions) readObject(file string) (*unstructured.Unstructured, error) {
	d, err := o.streams.Document(file)
	return d.Object, err
}

// setCustomizations reads customizations from a file.
func (o *evalOptions) setCustomizations(c *engine.Compiler, i *engine.Interpreter) error {
	texts, err := o.streams.Texts(o.customization)
	if err != nil {
		return err
	}
	for _, t := range texts {
		name := filepath.ToSlash(t.Name)
		sets, warnings, broken := author.Customizations(c, source.Read(name, t.Data), o.recorder.recording())
		err = errors.Join(err, broken)
		author.Printer{Out: o.streams.Err}.Warnings(warnings)
		for _, set := range sets {
			err = errors.Join(err, i.Set(engine.Customizations, set))
		}
	}
	return err
}
