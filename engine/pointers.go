// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"maps"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// What a list of JSON pointers has at most: pointers, and bytes and keys in each of them.
const (
	maxPointers   = 4_096
	maxPointer    = 1_024
	maxPointerKey = 64
)

// pointers are the JSON pointers of an answer as a tree, so that each map on the way is
// copied once, however many pointers go through it. A pointer below another one adds
// nothing to it.
type pointers struct {
	// index is the place in the list of the pointer that ends here, -1 where none does.
	index  int
	keys   []string
	fields map[string]*pointers
}

// What a key of a pointer takes, and the first and each key below another one.
const (
	keySteps      = 16
	keyBytes      = 128
	firstKeyBytes = 320
)

// pointers reads a list of JSON pointers.
func (r *reader) pointers(paths []any) (*pointers, error) {
	if len(paths) > maxPointers {
		return nil, wrong("paths: there are %d JSON pointers; at most %d are allowed", len(paths), maxPointers)
	}
	root := &pointers{index: -1}
	for i, p := range paths {
		pointer, ok := p.(string)
		if !ok || len(pointer) < 2 || pointer[0] != '/' {
			return nil, wrong("paths[%d]: want a JSON pointer such as \"/spec/replicas\", got %s", i, shown(p))
		}
		keys := strings.Count(pointer, "/")
		if len(pointer) > maxPointer || keys > maxPointerKey {
			return nil, wrong("paths[%d]: %s: a JSON pointer has at most %d bytes and %d keys", i, clipped(pointer), maxPointer, maxPointerKey)
		}
		if err := r.Add(int64(keys)*keySteps+int64(len(pointer))/8, 0); err != nil {
			return nil, err
		}
		if err := r.addPointer(root, i, pointer); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// shown returns a value for a message: a text itself, of any other value the type.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return clipped(s)
	}
	return "a " + script.TypeName(v)
}

// unescape replaces what stands in a JSON pointer for a slash and for a tilde.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// addPointer adds pointer i of the list.
func (r *reader) addPointer(p *pointers, i int, pointer string) error {
	for key := range strings.SplitSeq(pointer[1:], "/") {
		if strings.Contains(key, "~") {
			key = unescape.Replace(key)
		}
		below := p.fields[key]
		if below == nil {
			if err := r.Add(0, p.nextBytes()); err != nil {
				return err
			}
			below = p.add(key)
		}
		p = below
	}
	if p.index < 0 {
		p.index = i
	}
	return nil
}

// nextBytes returns what the next key below takes.
func (p *pointers) nextBytes() int64 {
	if p.fields == nil {
		return firstKeyBytes + keyBytes
	}
	return keyBytes
}

// add adds a key.
func (p *pointers) add(key string) *pointers {
	if p.fields == nil {
		p.fields = map[string]*pointers{}
	}
	below := &pointers{index: -1}
	p.fields[key] = below
	p.keys = append(p.keys, key)
	return below
}

// errNotAMap is why a path does not lead to where it points.
var errNotAMap = errors.New("the path goes through a value that is not a map")

// notAMap is the error of a pointer of the list.
func notAMap(i int, paths []any) error {
	return wrong("paths[%d]: %v: %v", i, paths[i], errNotAMap)
}

// edit is a change of an object at JSON pointers.
type edit struct {
	*reader
	paths []any
}

// keep returns desired with the values at the pointers copied from observed, and the
// index of the first pointer that changed it, -1 where none did. What observed does not
// have stays as desired has it.
func (e edit) keep(desired, observed map[string]any, p *pointers) (kept map[string]any, first int, err error) {
	if err := e.Add(2*int64(len(p.keys)), 0); err != nil {
		return nil, -1, err
	}
	kept, first = desired, -1
	for _, key := range p.keys {
		is, found := observed[key]
		if !found {
			continue
		}
		was, had := desired[key]
		value, index, err := e.keepField(was, is, had, p.fields[key])
		if err != nil {
			return nil, -1, err
		}
		if index < 0 {
			continue
		}
		if first < 0 {
			first = index
			if kept, err = e.clone(desired); err != nil {
				return nil, -1, err
			}
		}
		kept[key] = value
	}
	return kept, first, nil
}

// keepField returns what a field becomes that the desired object has as was and the
// observed one as is.
func (e edit) keepField(was, is any, had bool, p *pointers) (value any, first int, err error) {
	if p.index >= 0 {
		same, err := e.equal(was, is)
		if err != nil || had && same {
			return nil, -1, err
		}
		return is, p.index, nil
	}
	observed, isMap := is.(map[string]any)
	if !isMap {
		return nil, -1, nil
	}
	desired, isMap := was.(map[string]any)
	value, first, err = e.keep(desired, observed, p)
	if err == nil && first >= 0 && !isMap && was != nil {
		err = notAMap(first, e.paths)
	}
	return value, first, err
}

// removed stands for a field that an edit takes away.
type removed struct{}

// remove returns m without the values at the pointers, and whether that is another map.
func (e edit) remove(m map[string]any, p *pointers) (pruned map[string]any, changed bool, err error) {
	if err := e.Add(2*int64(len(p.keys)), 0); err != nil {
		return nil, false, err
	}
	pruned = m
	for _, key := range p.keys {
		value, changes, err := e.removeField(m, key, p.fields[key])
		if err != nil {
			return nil, false, err
		}
		if !changes {
			continue
		}
		if !changed {
			changed = true
			if pruned, err = e.clone(m); err != nil {
				return nil, false, err
			}
		}
		if value == (removed{}) {
			delete(pruned, key)
		} else {
			pruned[key] = value
		}
	}
	return pruned, changed, nil
}

// removeField returns what the field of m under a key becomes, and whether that is
// another value.
func (e edit) removeField(m map[string]any, key string, p *pointers) (value any, changed bool, err error) {
	was, found := m[key]
	switch {
	case !found:
		return nil, false, nil
	case p.index >= 0:
		return removed{}, true, nil
	case was == nil:
		return nil, false, nil
	}
	under, isMap := was.(map[string]any)
	if !isMap {
		return nil, false, notAMap(p.first(), e.paths)
	}
	return e.remove(under, p)
}

// first returns the index of a pointer that ends here or below.
func (p *pointers) first() int {
	for p.index < 0 {
		p = p.fields[p.keys[0]]
	}
	return p.index
}

// clone returns a copy of a map, which is not nil.
func (e edit) clone(m map[string]any) (map[string]any, error) {
	if err := e.Clone(m); err != nil {
		return nil, err
	}
	next := make(map[string]any, len(m)+1)
	maps.Copy(next, m)
	return next, nil
}
