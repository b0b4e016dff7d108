// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Scripts meet objects that lack what the objects of their cases have: the laws of this file
// take it away. What every object of a cluster has stays: see required. An error that a case
// expects where the same is missing is the answer that its author wants.

const (
	// maxMissing is how many fields are taken from the objects of a case, one at a time:
	// those nearest to the root. So the laws about what is missing take at most
	// maxMissing + 16 runs for a case.
	maxMissing = 150
	// maxShown is how many of the fields that a script cannot do without are reported.
	maxShown = 3
)

// noStatus asks about an object that no controller has seen yet, and aggregates items of
// clusters that have not reported a status.
func noStatus(s *subject) ([]Failure, bool) {
	var (
		failures []Failure
		applies  bool
	)
	for _, about := range engine.Operations() {
		op := about.Name
		if about.About != engine.AboutCopy || !s.has(op) {
			continue
		}
		applies = true
		for _, status := range []any{nil, map[string]any{}} {
			object := s.withoutStatus()
			what := about.File + " without status"
			if status != nil {
				object.Object["status"] = status
				what = about.File + " of an empty status"
			}
			_, err := s.ask(engine.Request{Operation: op, Object: object, Failover: s.c.Question.Failover})
			if err != nil && !s.expected(op, err, nil) {
				failures = append(failures, s.failedFirst(what, err)...)
				break
			}
		}
	}
	if s.has(engine.AggregateStatus) && s.answers(engine.AggregateStatus) {
		applies = true
		_, err := s.ask(engine.Request{Operation: engine.AggregateStatus, Items: s.itemsWithoutStatus()})
		if err != nil && !s.expected(engine.AggregateStatus, err, nil) {
			failures = append(failures, s.failedFirst("aggregate of items without status", err)...)
		}
	}
	return failures, applies
}

// failedFirst is failed for the first law, and the first field, that meets an error: one place
// of a script fails for many.
func (s *subject) failedFirst(path string, err error) []Failure {
	text := err.Error()
	if s.met[text] {
		return nil
	}
	if s.met == nil {
		s.met = map[string]bool{}
	}
	s.met[text] = true
	return failed(path, err)
}

// answers reports whether the request of the case has an answer, if it is of this operation.
func (s *subject) answers(op engine.Op) bool {
	if s.c.Operation.Name != op {
		return true
	}
	_, err := s.ask(s.c.Question)
	return err == nil
}

// itemsWithoutStatus returns the items of the case without their status; one of a cluster
// where the case has none.
func (s *subject) itemsWithoutStatus() []any {
	var items []any
	for _, item := range s.c.Question.Items {
		m, _ := item.(map[string]any)
		bare := maps.Clone(m)
		delete(bare, "status")
		items = append(items, bare)
	}
	if len(items) == 0 {
		item, err := engine.StatusItem(&workv1alpha2.AggregatedStatusItem{ClusterName: "member1"})
		if err == nil {
			items = append(items, item)
		}
	}
	return items
}

// freshObject asks the operation of the case about an object with an empty spec and no
// status, which is the least that a user can create.
func freshObject(s *subject) ([]Failure, bool) {
	if !s.answers(s.c.Operation.Name) {
		return nil, false
	}
	fresh := s.c.Question
	fresh.Object = bare(fresh.Object)
	questions := []engine.Request{fresh}
	if fresh.Observed != nil {
		unseen := s.c.Question
		unseen.Observed = bare(unseen.Observed)
		both := fresh
		both.Observed = unseen.Observed
		questions = append(questions, unseen, both)
	}
	for _, q := range questions {
		if _, err := s.ask(q); crashed(err, script.Type, script.Result) && !s.expected(q.Operation, err, nil) {
			return s.failedFirst(string(q.Operation)+" of an empty spec without status", err), true
		}
	}
	return nil, true
}

// bare returns an object with an empty spec, where it has one, and without status.
func bare(object *unstructured.Unstructured) *unstructured.Unstructured {
	m := maps.Clone(object.Object)
	delete(m, "status")
	if _, has := m["spec"]; has {
		m["spec"] = map[string]any{}
	}
	return &unstructured.Unstructured{Object: m}
}

// crashed reports whether an error is one of a script, of one of these codes.
func crashed(err error, codes ...script.Code) bool {
	var failure *script.Error
	return errors.As(err, &failure) && slices.Contains(codes, failure.Code)
}

// missingField takes each field that an object may lack from the arguments of the case, one
// at a time. A value of another type than the operation returns is not looked at: that an
// object without a required name has no answer is no fault.
func missingField(s *subject) ([]Failure, bool) {
	q := s.c.Question
	if !s.answers(q.Operation) {
		return nil, false
	}
	var failures []Failure
	for _, f := range optionalFields(s.c) {
		value := f.parent[f.key]
		delete(f.parent, f.key)
		_, err := s.ask(q)
		f.parent[f.key] = value
		if !crashed(err, script.Type) || s.expected(q.Operation, err, f.path) {
			continue
		}
		failures = append(failures, s.failedFirst(fmt.Sprintf("%s without %s", q.Operation, pathOf(f.path)), err)...)
		if len(failures) == maxShown {
			break
		}
	}
	return failures, true
}

// missing is a field that a script may find missing: in which map, and its path from the
// name of the argument on. A step is a key or the index of an item.
type missing struct {
	path   []any
	parent map[string]any
	key    string
}

// optionalFields returns the fields that the arguments of a case may lack: at most
// maxMissing, those nearest to the root first.
func optionalFields(c *Case) []missing {
	var (
		fields []missing
		queue  [][]any
	)
	values := map[string]any{}
	for name, value := range arguments(c) {
		values[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		queue = append(queue, []any{name})
	}
	for len(queue) > 0 && len(fields) < maxMissing {
		path := queue[0]
		queue = queue[1:]
		value, _ := lookUp(values, path)
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				below := append(slices.Clone(path), key)
				queue = append(queue, below)
				if !required(below) && len(fields) < maxMissing {
					fields = append(fields, missing{below, v, key})
				}
			}
		case []any:
			for i := range v {
				queue = append(queue, append(slices.Clone(path), i))
			}
		}
	}
	return fields
}

// arguments returns the arguments of a case that hold fields, by name. They are those of its
// request, not copies.
func arguments(c *Case) map[string]any {
	q := c.Question
	all := map[string]any{"object": q.Object.Object}
	if q.Observed != nil {
		all["observed"] = q.Observed.Object
	}
	if len(q.Items) > 0 {
		all["items"] = q.Items
	}
	if len(q.Related) > 0 {
		related := make([]any, 0, len(q.Related))
		for _, o := range q.Related {
			related = append(related, o.Object)
		}
		all["related"] = related
	}
	return all
}

// lookUp returns the value at a path below a map; false where there is none.
func lookUp(value any, path []any) (any, bool) {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			below, found := m[s]
			if !found {
				return nil, false
			}
			value = below
		case int:
			list, _ := value.([]any)
			if s >= len(list) {
				return nil, false
			}
			value = list[s]
		}
	}
	return value, true
}

// alwaysSet is what the API server sets in the metadata of every object.
var alwaysSet = []string{"name", "namespace", "uid", "generation", "creationTimestamp", "resourceVersion"}

// identity are keys that say what a value is: one without them means nothing to anyone.
var identity = []string{"name", "kind", "apiVersion", "type", "key", "clusterName"}

// required reports whether every object has the field at a path: apiVersion, kind, metadata
// with what the API server sets, and spec, which the law "empty spec" empties; and in any map
// below what identifies it.
func required(path []any) bool {
	key, _ := path[len(path)-1].(string)
	if slices.Contains(identity, key) {
		return true
	}
	within := path[1:]
	if _, isItem := path[1].(int); isItem && len(path) > 2 {
		within = path[2:]
	}
	switch {
	case path[0] == "items":
		return false
	case len(within) == 1:
		return key == "metadata" || key == "spec"
	case len(within) == 2 && within[0] == "metadata":
		return slices.Contains(alwaysSet, key)
	}
	return false
}

// pathOf writes a path as messages have it.
func pathOf(path []any) string {
	var b strings.Builder
	for _, step := range path[1:] {
		if i, isIndex := step.(int); isIndex {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		text := field("", step.(string))
		if b.Len() == 0 {
			text = strings.TrimPrefix(text, ".")
		}
		b.WriteString(text)
	}
	if path[0] == "object" {
		return b.String()
	}
	text := b.String()
	if !strings.HasPrefix(text, "[") {
		text = "." + text
	}
	return fmt.Sprintf("%s%s", path[0], text)
}

// expected reports whether a case expects an error of an operation, where what is at path is
// missing from its arguments too; a nil path is any.
func (s *subject) expected(op engine.Op, err error, path []any) bool {
	return slices.ContainsFunc(s.all, func(c *Case) bool {
		if c.failure == nil || c.Operation.Name != op || c.Kind().GroupKind() != s.c.Kind().GroupKind() {
			return false
		}
		if path != nil {
			if _, has := lookUp(arguments(c), path); has {
				return false
			}
		}
		return len(c.failure.compare(nil, err)) == 0
	})
}
