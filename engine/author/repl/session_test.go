// SPDX-License-Identifier: Apache-2.0

package repl

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine"
)

func newSession(t testing.TB) *Session {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	s := New(c, time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	s.Object = map[string]any{"spec": map[string]any{"replicas": int64(3)}}
	s.Params = map[string]any{"unit": "Mi"}
	s.Modules = engine.NewModules(map[string]engine.Module{"lib.sums": {File: "b/lib/sums.lua", Text: "local function twice(n) return 2 * n end\nreturn {twice = twice}\n"}})
	return s
}

func TestSession(t *testing.T) {
	s := newSession(t)
	var printed []string
	s.Print = func(line string) { printed = append(printed, line) }
	is := func(values ...any) []any { return values }
	for _, tc := range []struct {
		entry string
		want  any // the values, or an error
	}{
		{"1 + 1", is(int64(2))},
		{"return 'a' .. 'b' -- with a comment", is("ab")},
		{"obj.spec", is(map[string]any{"replicas": int64(3)})},
		{"local n = obj.spec.replicas", is()},
		{"n * 2", is(int64(6))},
		{"obj.spec.replicas = 7", is()},
		{"n, obj.spec.replicas", is(int64(3), int64(7))},
		{"for i = 1, 3 do", ErrIncomplete},
		{"for i = 1, 3 do\n  n = n + i\nend", is()},
		{"n", is(int64(9))},
		{"print('n is', n)", is()},
		{"local sums, list = require('lib.sums'), {}", is()},
		{"table.insert(list, sums.twice(n))", is()},
		{"list", is([]any{int64(18)})},
		{"params.unit", is("Mi")},
		{"kube.get(obj, 'spec.replicas')", is(int64(7))},
		{"missing", errors.New("session:10: ")},
		{"error('no')", errors.New("session:10: no")},
		{"while true do end", errors.New("session:10: ")},
		{"n", is(int64(9))},
		{"x = 1", errors.New("session:10: ")},
		{"n = nil", is()},
		{"n", is(nil)},
		{"foo bar", errors.New("input:1:5: syntax error near 'bar'")},
		{"f(", ErrIncomplete},
		{"1 +", ErrIncomplete},
		{"os.exit()", errors.New("session:11: ")},
		{"tostring", errors.New("session:11: a function, which is no value of an object")},
		{"{f = tostring}", errors.New("session:11: ")},
		{"", is()},
	} {
		v, err := s.Enter(tc.entry)
		if want, fails := tc.want.(error); fails {
			if err == nil || !errors.Is(err, want) && !strings.HasPrefix(err.Error(), want.Error()) {
				t.Errorf("%s: got %v and error %v; want error %v", tc.entry, v.Plain, err, want)
			}
			continue
		}
		if want := tc.want.([]any); err != nil || len(want) != len(v.Plain) || len(want) > 0 && !reflect.DeepEqual(v.Plain, want) {
			t.Errorf("%s: got %#v, %v; want %#v", tc.entry, v.Plain, err, want)
		}
	}
	if want := []string{"n is\t9"}; !reflect.DeepEqual(printed, want) {
		t.Errorf("printed %q; want %q, once", printed, want)
	}
	if s.Object["spec"].(map[string]any)["replicas"] != int64(3) {
		t.Error("the object has changed")
	}
	if got := s.Undo(); got != "n = nil" || len(s.Entries()) != 7 {
		t.Errorf("undid %q; left %q", got, s.Entries())
	}
	if v, err := s.Enter("n"); err != nil || v.Plain[0] != int64(9) || v.Gas == 0 {
		t.Errorf("after undo n is %v (%v)", v, err)
	}
}
