// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// Events keeps the events that a controller tells of. It is safe for many
// goroutines; the zero value is ready.
type Events struct {
	mu  sync.Mutex
	all map[string][]string
}

// maxNote is the longest note that an API server takes.
const maxNote = 1024

// Eventf takes one event.
func (e *Events) Eventf(regarding, _ runtime.Object, kind, reason, _, note string, args ...any) {
	o, err := meta.Accessor(regarding)
	if err != nil {
		panic(err) // events are about objects
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all == nil {
		e.all = map[string][]string{}
	}
	key := o.GetNamespace() + "/" + o.GetName()
	text := fmt.Sprintf(note, args...)
	if len(text) > maxNote {
		text = "refused by the API server: longer than 1024 bytes"
	}
	e.all[key] = append(e.all[key], kind+" "+reason+": "+text)
}

// About lists the events about one object, each as "Warning Reason: note"; the
// namespace of an object without one is empty.
func (e *Events) About(namespace, name string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all[namespace+"/"+name])
}
