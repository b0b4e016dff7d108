// SPDX-License-Identifier: Apache-2.0

package isolation

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
	"weak"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// payload is memory that only strings of an object point into, so that the life of the
// object's parts can be seen.
type payload struct{ bytes [64]byte }

func (p *payload) text() string { return unsafe.String(&p.bytes[0], len(p.bytes)) }

// TestNothingOutlivesItsRun looks, after a run, whether the parts of its object can
// still be reached: from the interpreter, the program, the pools, or the error, which is
// all that the caller keeps. The first collection after a run leaves the pools as they
// are.
func TestNothingOutlivesItsRun(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for name, decoder := range decoders {
		t.Run(name, func(t *testing.T) {
			i := engine.NewInterpreter(engine.Options{})
			set(t, i, name, decoder.source, decoder.form)
			parts, err := ask(i, name)
			runtime.GC()
			for part, w := range parts {
				if w.Value() != nil {
					t.Errorf("%s of the object is still alive; the error of the run is %T", part, err)
				}
			}
			runtime.KeepAlive(err)
			runtime.KeepAlive(i)
		})
	}
}

// ask asks about a new object, and returns up all of it but for what watches its parts.
func ask(i *engine.Interpreter, kind string) (map[string]weak.Pointer[payload], error) {
	parts := map[string]weak.Pointer[payload]{}
	part := func(name string) string {
		p := &payload{}
		parts[name] = weak.Make(p)
		return p.text()
	}
	o := &unstructured.Unstructured{Object: map[string]any{
		"data": part("data"), "list": []any{part("list"), map[string]any{"data": part("a map in a list")}},
		"nested": map[string]any{"data": part("nested"), part("a key"): true},
	}}
	o.SetGroupVersionKind(kindOf(kind))
	_, err := i.Snapshot().Status(o)
	return parts, err
}
