// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"

	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
)

// sketch writes a random document with a comment above and behind most lines, and knows to
// which value each line belongs.
type sketch struct {
	*rand.Rand
	lines  []string
	owners []pointer.Pointer // of lines; a comment above an item belongs to the collection
	paths  []pointer.Pointer // of all values
	marks  int
	step   int
}

func newSketch(seed int64) *sketch {
	s := &sketch{Rand: rand.New(rand.NewSource(seed))}
	s.step = 2 + 2*s.Intn(2)
	s.collection(nil, 0, "", 0)
	return s
}

func (s *sketch) text() string { return strings.Join(s.lines, "\n") + "\n" }

// line adds a line that belongs to a value.
func (s *sketch) line(owner pointer.Pointer, text string) {
	s.lines, s.owners = append(s.lines, text), append(s.owners, owner)
}

// comment returns a comment that no other line has, or nothing.
func (s *sketch) comment() string {
	if s.Intn(3) == 0 {
		return ""
	}
	s.marks++
	return fmt.Sprintf("# comment %d", s.marks)
}

// collection adds a map or a list in lines; lead is what stands before its first item.
func (s *sketch) collection(path pointer.Pointer, depth int, lead string, indent int) {
	isMap := s.Intn(2) == 0
	for i := range 1 + s.Intn(4) {
		item := path.Join(strconv.Itoa(i))
		prefix := "-"
		if isMap {
			item = path.Join(fmt.Sprintf("key%d", i))
			prefix = item[len(item)-1] + ":"
		}
		space := strings.Repeat(" ", indent)
		if i == 0 && lead != "" {
			space = lead
		} else {
			if c := s.comment(); c != "" {
				s.line(path, space+c)
			}
			if s.Intn(4) == 0 {
				s.line(path, "")
			}
		}
		s.value(item, depth+1, space+prefix, indent)
	}
}

// value adds a value behind a prefix.
func (s *sketch) value(path pointer.Pointer, depth int, prefix string, indent int) {
	s.paths = append(s.paths, path)
	behind := s.comment()
	if behind != "" {
		behind = " " + behind
	}
	switch kind := s.Intn(9); {
	case kind < 3 && depth < 4:
		if strings.HasSuffix(prefix, "-") && s.Intn(2) == 0 {
			s.collection(path, depth, prefix+strings.Repeat(" ", s.step-1), indent+s.step)
			return
		}
		s.line(path, prefix+behind)
		s.collection(path, depth, "", indent+s.step)
	case kind == 3:
		s.line(path, prefix+" |"+behind)
		s.line(path, strings.Repeat(" ", indent+s.step)+"# no comment")
		s.line(path, strings.Repeat(" ", indent+s.step)+"text")
	case kind == 4:
		s.line(path, prefix+" [a, {b: 1}, 'c']"+behind)
	case kind == 5:
		s.line(path, prefix+behind)
	default:
		s.line(path, prefix+" "+[]string{"text", "0o17", "'quoted'", "\"two words\"", "yes", "1.50"}[s.Intn(6)]+behind)
	}
}

// within reports whether a path is another one or below it.
func within(path, above pointer.Pointer) bool {
	return len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

// TestLayout changes random documents at random places, and checks that all lines stay that
// do not belong to the value: those of other values and all comments in lines of their own.
func TestLayout(t *testing.T) {
	for seed := range int64(3000) {
		s := newSketch(seed)
		path := s.paths[s.Intn(len(s.paths))]
		o := op(operators[s.Intn(3)], path.String(), []string{`7`, `"new text"`, `{"a":{"b":[1]}}`, `["x",{"y1":2}]`}[s.Intn(4)])
		isItem := !strings.HasPrefix(path[len(path)-1], "key")
		got, err := EditYAML(budget.New(), s.text(), []Operation{o})
		if err != nil {
			t.Fatalf("seed %d: %s %s: %v\n%s", seed, o.Operator, o.Path, err, s.text())
		}
		left := strings.Split(got, "\n")
		for i, line := range s.lines {
			belongs := within(s.owners[i], path) && !(o.Operator == Add && isItem)
			// The line of a collection that becomes empty gets {} or [].
			empties := o.Operator == Remove && slices.Equal(s.owners[i], path[:len(path)-1]) && !strings.HasPrefix(strings.TrimSpace(line), "#")
			if belongs || empties || line == "" || isLead(line, path, s.owners[i]) {
				continue
			}
			at := slices.IndexFunc(left, func(l string) bool {
				// What follows a first item that is gone stands behind its dash.
				return l == line || strings.TrimLeft(l, "- ") == strings.TrimSpace(line)
			})
			if at < 0 {
				t.Fatalf("seed %d: %s %s %s lost the line %q of\n%s\nin\n%s", seed, o.Operator, o.Path, o.Value, line, s.text(), got)
			}
			left = left[at+1:]
		}
	}
}

// isLead reports whether a line of a value begins with the dash of a list above, so that a
// change of the list's items may move it.
func isLead(line string, path, owner pointer.Pointer) bool {
	return strings.HasPrefix(strings.TrimSpace(line), "-") && (within(path, owner) || len(owner) > 0 && within(owner, path[:len(path)-1]))
}
