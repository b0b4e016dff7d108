package interpreter

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Changes tells of the kinds that other scripts answer for than before, so that what
// they answered is asked again. It is safe for many goroutines; the zero value is
// ready.
type Changes struct {
	mu        sync.Mutex
	listeners []func(schema.GroupVersionKind)
}

// Listen has f called with each kind that other scripts answer for. f must not block.
func (c *Changes) Listen(f func(schema.GroupVersionKind)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, f)
}

// tell tells of kinds, each once; the empty kind is none.
func (c *Changes) tell(kinds ...schema.GroupVersionKind) {
	if c == nil {
		return
	}
	c.mu.Lock()
	listeners := slices.Clone(c.listeners)
	c.mu.Unlock()
	for i, kind := range kinds {
		if kind.Empty() || slices.Contains(kinds[:i], kind) {
			continue
		}
		for _, f := range listeners {
			f(kind)
		}
	}
}
