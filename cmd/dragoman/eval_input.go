// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/yamldoc"
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
	{engine.StateParam, "state", false},
}

// question reads what the operation takes. A flag that it does not take is an error,
// as is one that it needs and that is not given.
func (o *evalOptions) question(op engine.Operation) (engine.Request, error) {
	q := engine.Request{Operation: op.Name, Replicas: o.replicas, State: o.state}
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
		return q, errors.New("stdin can be read only once; give - to one flag")
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
	if o.items != "" {
		nodes, err := o.read(o.items)
		if err != nil {
			return q, err
		}
		if q.Items, err = cases.Items(nodes); err != nil {
			return q, err
		}
	}
	return q, nil
}

// readsStdinAgain reports whether more than one flag names stdin.
func (o *evalOptions) readsStdinAgain() bool {
	count := 0
	for _, file := range []string{o.object, o.observed, o.items} {
		if file == "-" {
			count++
		}
	}
	return count > 1
}

// read returns the documents of a file, - is stdin.
func (o *evalOptions) read(file string) ([]yamldoc.Node, error) {
	name, data, err := o.text(file)
	if err != nil {
		return nil, err
	}
	return yamldoc.Read(name, data)
}

// text returns the text of a file and its name for messages, - is stdin.
func (o *evalOptions) text(file string) (string, []byte, error) {
	if file != "-" {
		data, err := os.ReadFile(file)
		return file, data, err
	}
	data, err := io.ReadAll(o.streams.In)
	if err != nil {
		err = fmt.Errorf("read stdin: %w", err)
	}
	return "stdin", data, err
}

// readObject returns the one object of a file.
func (o *evalOptions) readObject(file string) (*unstructured.Unstructured, error) {
	nodes, err := o.read(file)
	if err != nil {
		return nil, err
	}
	if len(nodes) != 1 {
		return nil, fmt.Errorf("%s: want one object, got %d documents", file, len(nodes))
	}
	m, _ := nodes[0].Value.(map[string]any)
	object := &unstructured.Unstructured{Object: m}
	if object.GetAPIVersion() == "" || object.GetKind() == "" {
		return nil, nodes[0].Errorf("want a Kubernetes object with apiVersion and kind")
	}
	return object, nil
}

// customize adds the customizations of a file to the interpreter.
func (o *evalOptions) customize(c *engine.Compiler, i *engine.Interpreter) error {
	name, data, err := o.text(o.customization)
	if err != nil {
		return err
	}
	sources, err := compileCustomizations(c, name, data)
	for _, source := range sources {
		err = errors.Join(err, i.Set(engine.Customizations, source))
	}
	return err
}
