// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// ignoredPath is a path at which the output of a case does not count.
type ignoredPath struct {
	text string
	line int
	// steps are the result, and the keys and indices below it; "*" is all of them.
	steps []string
}

// everyItem is the step to all items of a list, or to the values of all keys.
const everyItem = "*"

// readIgnored reads the paths that the output of a case leaves out.
func (d *parsedCase) readIgnored() error {
	switch {
	case d.ignore.Value == nil:
		return nil
	case d.output.Value == nil && d.changes.Value == nil:
		return d.ignore.Errorf("it is for a case with output or changes; expectSubset leaves out what it does not name")
	}
	return d.ignore.Items(func(n yamldoc.Node) error {
		p := ignoredPath{line: n.Line}
		if err := yamldoc.String(&p.text)(n); err != nil {
			return err
		}
		var err error
		if p.steps, err = stepsOf(p.text); err != nil {
			return n.Errorf("%v", err)
		}
		if _, err := resultNamed(d.Operation, p.steps[0]); err != nil {
			return n.Errorf("the path begins with the name of a result: %v", err)
		}
		if _, named := d.Case.output[p.steps[0]]; !named {
			return n.Errorf("the output does not name %s, of which nothing can be ignored", p.steps[0])
		}
		if len(p.steps) == 1 {
			return n.Errorf("it is all of %s; write %q for it in the output", p.text, excluded)
		}
		d.Case.ignored = append(d.Case.ignored, p)
		return nil
	})
}

// stepsOf returns the steps of a path as failures have it, such as status.conditions[0].at,
// status["a.b/c"], or with [*] for all items.
func stepsOf(path string) ([]string, error) {
	var steps []string
	for rest := path; ; {
		if inside, bracket := strings.CutPrefix(rest, "["); bracket && len(steps) > 0 {
			step, after, err := bracketed(inside)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", path, err)
			}
			steps, rest = append(steps, step), after
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("%q is no path; write one such as status.conditions[0].at", path)
			}
			steps, rest = append(steps, rest[:end]), rest[end:]
		}
		switch {
		case rest == "":
			return steps, nil
		case rest[0] == '.':
			rest = rest[1:]
		case rest[0] != '[':
			return nil, fmt.Errorf("%q is no path: behind a bracket is a dot, a bracket or the end", path)
		}
	}
}

// bracketed returns the step that stands behind a bracket, and what is behind the closing one.
func bracketed(inside string) (step, after string, err error) {
	if quoted, err := strconv.QuotedPrefix(inside); err == nil {
		step, _ = strconv.Unquote(quoted)
		after, closed := strings.CutPrefix(inside[len(quoted):], "]")
		if !closed {
			return "", "", errors.New("a bracket is not closed")
		}
		return step, after, nil
	}
	step, after, closed := strings.Cut(inside, "]")
	switch {
	case !closed:
		return "", "", errors.New("a bracket is not closed")
	case step == "":
		return "", "", errors.New("a bracket is empty; write an index, a key or *")
	}
	return step, after, nil
}

// withoutIgnored returns what a case expects of a result with the excluded value at the paths that it
// ignores, and a failure for each that leads to nothing in it and in the answer.
func (c *Case) withoutIgnored(m *meter, result string, want, got any) (any, []Failure) {
	if len(c.ignored) == 0 {
		return want, nil
	}
	var failures []Failure
	masked := runtime.DeepCopyJSONValue(want)
	wanted, _ := yamldoc.SizeOf(want)
	given, _ := yamldoc.SizeOf(got)
	for _, p := range c.ignored {
		if !m.take(p.gas(wanted + given)) {
			return masked, append(failures, unpaid("ignore")...)
		}
		if p.steps[0] != result {
			continue
		}
		if !replaceAt(masked, got, p.steps[1:], func(any) any { return excluded }) {
			failures = append(failures, Failure{
				Path: "ignore", Line: p.line,
				Message: p.text + " matches nothing, neither in the output nor in the answer; mend the path, or remove it",
			})
		}
	}
	return masked, failures
}

// gas is what a path takes in two values that have so many values together: with a star it may lead to all of them.
func (p ignoredPath) gas(values int) int64 {
	if !slices.Contains(p.steps, everyItem) {
		values = len(p.steps)
	}
	return 1 + int64(values)/valuesPerGas
}

// withIgnored returns an answer with what a case has at the paths that it ignores.
func (c *Case) withIgnored(result string, got any) any {
	for _, p := range c.ignored {
		if p.steps[0] == result {
			replaceAt(got, c.output[result].Value, p.steps[1:], func(has any) any { return has })
		}
	}
	return got
}

// replaceAt sets the values at a path in one value to what with returns for those in another one, which are
// absent{} where there are none; absent{} removes the key of a map. It reports whether the path leads to
// something in one of both.
func replaceAt(into, other any, steps []string, with func(other any) any) (found bool) {
	step, rest := steps[0], steps[1:]
	list, isList := into.([]any)
	otherList, isList2 := other.([]any)
	if isList || isList2 {
		return replaceItems(list, otherList, step, rest, with)
	}
	m, _ := into.(map[string]any)
	otherMap, _ := other.(map[string]any)
	keys := []string{step}
	if step == everyItem {
		keys = slices.Collect(maps.Keys(m))
		for key := range otherMap {
			if _, both := m[key]; !both {
				keys = append(keys, key)
			}
		}
	}
	for _, key := range keys {
		has, otherHas := entry(m, key), entry(otherMap, key)
		switch {
		case has == any(absent{}) && otherHas == any(absent{}):
		case len(rest) > 0:
			found = replaceAt(has, otherHas, rest, with) || found
		default:
			found = true
			set(m, key, with(otherHas))
		}
	}
	return found
}

// set sets a key of a map, or removes it for absent{}. A nil map stays.
func set(m map[string]any, key string, value any) {
	if value == any(absent{}) {
		delete(m, key)
	} else if m != nil {
		m[key] = value
	}
}

// replaceItems is replaceAt for two lists, of which one may be nil.
func replaceItems(list, other []any, step string, rest []string, with func(other any) any) (found bool) {
	first, end := 0, max(len(list), len(other))
	if step != everyItem {
		i, err := strconv.Atoi(step)
		if err != nil || strconv.Itoa(i) != step || i < 0 || i >= end {
			return false
		}
		first, end = i, i+1
	}
	for i := first; i < end; i++ {
		if len(rest) > 0 {
			found = replaceAt(item(list, i), item(other, i), rest, with) || found
			continue
		}
		found = true
		if value := with(item(other, i)); i < len(list) && value != any(absent{}) {
			list[i] = value
		}
	}
	return found
}
