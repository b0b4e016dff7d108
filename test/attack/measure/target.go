// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// target is an attack that is ready to be run.
type target struct {
	compiler    *engine.Compiler
	interpreter *engine.Interpreter
	request     engine.Request
	// load compiles the script and makes it answer.
	load func() error
	used script.Usage
}

// target makes an attack ready that c compiles.
func (r *Runner) target(q attack.Question, c *engine.Compiler) (*target, error) {
	t := &target{compiler: c}
	t.interpreter = engine.NewInterpreter(engine.Options{Observe: func(r engine.Run) { t.used = r.Usage }})
	op, err := engine.ParseOperation(q.Operation)
	if err != nil {
		return nil, err
	}
	t.ask(op, q)
	files := q.Sources(attack.Operation{Field: op.Field, Entry: op.Entry, File: op.File, Params: op.ParamNames()})
	switch q.Form {
	case attack.Published, attack.Expression:
		return t, t.customize(files.Customization)
	case attack.Bundle:
		t.load = func() error { return t.install(folder(files.Bundle)) }
	case attack.Folder:
		t.load = func() error { return t.try(folder(files.Bundle)) }
	case attack.Shipped:
		loaded, err := r.shipped()
		if err != nil {
			return nil, err
		}
		t.load = func() error { return nil }
		return t, t.set(engine.Embedded, loaded...)
	default:
		return nil, fmt.Errorf("there is no form %q", q.Form)
	}
	return t, nil
}

// ask makes the request.
func (t *target) ask(op engine.Operation, q attack.Question) {
	t.request = engine.Request{Operation: op.Name, Replicas: 3}
	var fields map[string]any
	if q.Object != nil {
		fields = q.Object()
	}
	t.request.Object = object(fields)
	if op.Takes(engine.ObservedParam) {
		fields = nil
		if q.Observed != nil {
			fields = q.Observed()
		}
		t.request.Observed = object(fields)
	}
	if q.Items != nil {
		t.request.Items = q.Items()
	}
	if q.State != nil {
		t.request.State = q.State()
	}
}

// customize makes load compile a customization.
func (t *target) customize(content map[string]any) error {
	c := &configv1alpha1.ResourceInterpreterCustomization{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, c); err != nil {
		return err
	}
	t.load = func() error {
		set, errs := t.compiler.Customization(c)
		if err := errors.Join(errs...); err != nil {
			return err
		}
		return t.interpreter.Set(engine.Customizations, set)
	}
	return nil
}

// install loads a bundle and makes it answer.
func (t *target) install(files fs.FS) error {
	b, err := bundle.Loader{Compiler: t.compiler}.Load(files, "attack", nil)
	if err != nil {
		return err
	}
	return t.set(engine.Installed, b)
}

func (t *target) set(layer engine.Layer, all ...*bundle.Bundle) error {
	for _, b := range all {
		if err := t.interpreter.Set(layer, b.Source); err != nil {
			return err
		}
	}
	return nil
}

// try activates a bundle as a program does that follows a folder: with its cases.
func (t *target) try(files fs.FS) error {
	var failure error
	store := bundle.NewStore(bundle.Options{
		Loader: bundle.Loader{Compiler: t.compiler}, Rules: t.interpreter,
		Trial:    func(b *bundle.Bundle, files fs.FS) bundle.Trial { return cases.NewTrial(files, b) },
		OnStatus: func(s bundle.Status) { failure = s.Err },
	})
	revision, err := bundle.Revision(files, "attack")
	if err != nil {
		return err
	}
	store.Apply([]bundle.Content{{Dir: "attack", Origin: "attack", Revision: revision, Files: files}}, nil)
	return failure
}

// folder returns files below the folder attack.
func folder(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all["attack/"+name] = &fstest.MapFile{Data: []byte(text), Mode: 0o600}
	}
	return all
}
