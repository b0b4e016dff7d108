// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// recorder is a program that fails, and keeps the call.
type recorder struct{ last *script.Call }

func (r *recorder) Run(c *script.Call, _ script.Decoder) (script.Usage, error) {
	call := *c
	call.Args = append([]any(nil), c.Args...)
	r.last = &call
	return script.Usage{}, errRecorded
}

func (*recorder) Size() int64 { return 0 }

var errRecorded = errors.New("recorded")

// recording returns an interpreter with a recorder for each operation.
func recording() (*Interpreter, map[Op]*recorder) {
	i, rules, recorders := NewInterpreter(Options{}), Rules{}, map[Op]*recorder{}
	for _, op := range Operations() {
		recorders[op.Name] = &recorder{}
		rules[op.Name] = &Rule{Program: recorders[op.Name], Origin: "of " + string(op.Name)}
	}
	set(i, Embedded, RuleSet{Name: "all", Kinds: map[schema.GroupVersionKind]Rules{siteKind: rules}})
	return i, recorders
}

// TestEvaluateAsksTheOperation asks each operation of the table while all have a rule.
func TestEvaluateAsksTheOperation(t *testing.T) {
	object, observed := site(map[string]any{"a": int64(1)}), site(map[string]any{"b": int64(2)})
	item, share := map[string]any{"clusterName": "m1"}, map[string]any{"name": "m1", "replicas": int64(7)}
	arguments := map[ParamKind]any{
		ObjectParam: object.Object, ObservedParam: observed.Object, ItemsParam: []any{item}, CountParam: int64(7), StateParam: map[string]any{"k": "v"},
		DivisionParam: map[string]any{"cluster": "m1", "shares": []any{share}}, FailoverParam: true, RelatedParam: []any{},
	}
	for _, op := range Operations() {
		t.Run(string(op.Name), func(t *testing.T) {
			i, recorders := recording()
			_, err := i.Snapshot().Evaluate(Request{
				Operation: op.Name, Object: object, Observed: observed, Items: []any{item}, Replicas: 7, State: map[string]string{"k": "v"},
				Division: Division{Cluster: "m1", Shares: []any{share}}, Failover: true,
			})
			if !errors.Is(err, errRecorded) {
				t.Fatalf("got error %v; want that of the program", err)
			}
			for other, r := range recorders {
				if other != op.Name && r.last != nil {
					t.Errorf("the rule of %s was asked", other)
				}
			}
			want := &script.Call{Entry: op.Entry, Names: op.ParamNames()}
			for _, p := range op.Params {
				want.Args = append(want.Args, arguments[p.Kind])
			}
			got := recorders[op.Name].last
			if got == nil {
				t.Fatal("its rule was not asked")
			}
			if diff := cmp.Diff(want, &script.Call{Entry: got.Entry, Names: got.Names, Args: got.Args}); diff != "" {
				t.Errorf("the call (-want +got):\n%s", diff)
			}
			if origin := i.Snapshot().Origin(siteKind, op.Name); origin != "of "+string(op.Name) || !i.Snapshot().Supports(siteKind, op.Name) {
				t.Errorf("the origin is %q", origin)
			}
		})
	}
}

func TestEvaluateWithoutARule(t *testing.T) {
	for _, op := range Operations() {
		if _, err := NewInterpreter(Options{}).Snapshot().Evaluate(Request{Operation: op.Name, Object: site(nil)}); !errors.Is(err, ErrNoRule) {
			t.Errorf("%s: got error %v; want ErrNoRule", op.Name, err)
		}
	}
}

// TestOperationsAreComplete checks that nothing of an operation is missing or is that
// of another.
func TestOperationsAreComplete(t *testing.T) {
	seen := map[string]Op{}
	for _, op := range Operations() {
		for what, value := range map[string]string{"name": string(op.Name), "field": op.Field, "entry": op.Entry, "file": op.File, "doc": op.Doc} {
			if value == "" {
				t.Errorf("%s has no %s", op.Name, what)
			}
			if other, twice := seen[what+value]; twice {
				t.Errorf("%s and %s have one %s", op.Name, other, what)
			}
			seen[what+value] = op.Name
		}
		if len(op.Params) == 0 || op.Params[0].Kind != ObjectParam {
			t.Errorf("%s: the first parameter is no object: %v", op.Name, op.Params)
		}
		if len(op.Results) == 0 {
			t.Errorf("%s has no results", op.Name)
		}
		for _, r := range op.Results {
			if r.Name == "" || r.Type == "" {
				t.Errorf("%s: the result %q has the type %q", op.Name, r.Name, r.Type)
			}
		}
	}
	for i, e := range operations {
		if got := indexOf(e.describe().Name); got != i {
			t.Errorf("%s has index %d; want %d", e.describe().Name, got, i)
		}
	}
}

func TestOperationsShareNoMemory(t *testing.T) {
	before := Operations()
	for _, op := range Operations() {
		op.Params[0].Name, op.Results[0].Name = "x", "x"
	}
	one, err := Describe(Retain)
	if err != nil {
		t.Fatal(err)
	}
	one.Params[1] = Param{}
	for i, op := range Operations() {
		if !reflect.DeepEqual(op.Params, before[i].Params) || op.Results[0].Name != before[i].Results[0].Name {
			t.Errorf("%s: got %v and %v; a caller has changed the table", op.Name, op.Params, op.ResultNames())
		}
	}
}

func TestParseOperation(t *testing.T) {
	for _, op := range Operations() {
		for _, name := range []string{string(op.Name), strings.ToLower(string(op.Name)), strings.ToUpper(string(op.Name)), op.File, op.Field, op.Entry, strings.ToUpper(op.File)} {
			if got, err := ParseOperation(name); err != nil || got.Name != op.Name {
				t.Errorf("%s: got %s, error %v", name, got.Name, err)
			}
		}
	}
}

// TestUnknownOperations names one that does not exist at each entry point.
func TestUnknownOperations(t *testing.T) {
	const unknown Op = "InterpretHelth"
	c := newCompiler(t)
	snapshot := answering(InterpretReplica, counting(t, "1")).Snapshot()
	rules := RuleSet{Name: "site", Kinds: map[schema.GroupVersionKind]Rules{siteKind: {unknown: counting(t, "1"), InterpretReplica: counting(t, "2")}}}
	for name, ask := range map[string]func() error{
		"ParseOperation": func() error { _, err := ParseOperation(string(unknown)); return err },
		"Describe":       func() error { _, err := Describe(unknown); return err },
		"Lua":            func() error { _, err := c.Lua(Script{Text: "x = 1", Operation: unknown}); return err },
		"CEL":            func() error { _, err := c.CEL(Script{Text: "1", Operation: unknown}); return err },
		"Smoke":          func() error { return c.Smoke(siteKind, unknown, counting(t, "1")) },
		"Evaluate": func() error {
			_, err := snapshot.Evaluate(Request{Operation: unknown, Object: site(nil)})
			return err
		},
		"Set": func() error { return NewInterpreter(Options{}).Set(Embedded, rules) },
	} {
		const want = `there is no operation "InterpretHelth"; did you mean InterpretHealth?`
		if err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v; want one with %q", name, err, want)
		}
	}
	if snapshot.Supports(siteKind, unknown) || snapshot.Origin(siteKind, unknown) != "" {
		t.Error("an operation that does not exist is supported")
	}
}

// A source that is refused leaves the one of its name in place.
func TestRefusedRulesChangeNothing(t *testing.T) {
	i := answering(InterpretReplica, counting(t, "1"))
	err := i.Set(Embedded, RuleSet{Name: "site", Kinds: map[schema.GroupVersionKind]Rules{siteKind: {"interpretReplica": counting(t, "2")}}})
	if err == nil {
		t.Error("the wire name counts as it is written; got no error for another case")
	}
	if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 1 {
		t.Errorf("got %d replicas, error %v; want 1 of the rule from before", got.Count, err)
	}
}
