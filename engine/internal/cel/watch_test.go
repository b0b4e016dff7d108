// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

const watchSource = `object.spec.replicas > 1 &&
  object.status.list.exists(c, c.type == "Ready" && c.ok) ?
    {"a": object.status.phase in ["Up", "Down"], "b": cel.bind(n, size(object.status.list), n + 1)} :
    {"a": has(object.status.none)}`

func watchArgument() map[string]any {
	return map[string]any{"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"phase": "Up", "list": []any{
		map[string]any{"type": "Old", "ok": true}, map[string]any{"type": "Ready", "ok": true},
	}}}
}

// evaluateOnce runs an expression about an object, with a recording where there is one.
func evaluateOnce(c *Compiler, source string, object any, recording *script.Recording) (decoder, script.Usage, error) {
	var d decoder
	p, err := c.CompileSource(Source{File: "test.cel", Text: source, Variables: dyn("object"), Recording: recording}, script.Limits{})
	if err != nil {
		return d, script.Usage{}, err
	}
	usage, err := p.Run(&script.Call{Names: []string{"object"}, Args: []any{object}}, &d)
	return d, usage, err
}

func TestRecording(t *testing.T) {
	c := compiler(t)
	recording := script.NewRecording(100)
	_, usage, err := evaluateOnce(c, watchSource, watchArgument(), recording)
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := recording.Steps()
	var got strings.Builder
	for _, s := range kept {
		fmt.Fprintf(&got, "%d:%d %s = %s\n", s.Line, s.Column, s.Expression, s.Value)
	}
	want := `1:12 object.spec.replicas = 2
1:22 object.spec.replicas > 1 = true
2:16 object.status.list = [{"ok": true, "type": "Old"}, {"ok": true, "type": "Ready"}]
2:33 c.type = "Old"
2:39 c.type == "Ready" = false
2:50 c.type == "Ready" && c.ok = false
2:33 c.type = "Ready"
2:39 c.type == "Ready" = true
2:54 c.ok = true
2:50 c.type == "Ready" && c.ok = true
2:28 object.status.list.exists(c, c.type == "Ready" && c.ok) = true
1:26 object.spec.replicas > 1 && object.status.list.exists(c, c.type == "Ready" && c.ok) = true
3:24 object.status.phase = "Up"
3:31 object.status.phase in ["Up", "Down"] = true
3:85 object.status.list = [{"ok": true, "type": "Old"}, {"ok": true, "type": "Ready"}]
3:71 size(object.status.list) = 2
3:93 n = 2
3:95 n + 1 = 3
3:63 cel.bind(n, size(object.status.list), n + 1) = 3
3:5 {"a": object.status.phase in ["Up", "Down"], "b": cel.bind(n, size(object.status.list), n + 1)} = {"a": true, "b": 3}
2:59 (object.spec.replicas > 1 && object.status.list.exists(c, c.type == "Ready" && c.ok)) ? {"a": object.status.phase in ["Up", "Down"], "b": cel.bind(n, size(objec… = {"a": true, "b": 3}
`
	if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("steps (-want +got):\n%s", d)
	}
	all, other := recording.Lines()
	sum := other
	for _, l := range all {
		sum += l.Gas
	}
	if sum != usage.Gas {
		t.Errorf("lines and what is around them took %d, the run %d", sum, usage.Gas)
	}
}

func TestRecordingIsBounded(t *testing.T) {
	c := compiler(t)
	recording := script.NewRecording(3)
	if _, _, err := evaluateOnce(c, `lists.range(50).map(i, i + 1)`, nil, recording); err != nil {
		t.Fatal(err)
	}
	kept, left := recording.Steps()
	if len(kept) != 3 || left != 99 { // i and i + 1 for each number, the range, and the whole
		t.Errorf("kept %d steps, left %d; want 3 and 99", len(kept), left)
	}
	recording = script.NewRecording(3)
	if _, _, err := evaluateOnce(c, `object + ""`, strings.Repeat("x", 1000), recording); err != nil {
		t.Fatal(err)
	}
	kept, _ = recording.Steps()
	if got := kept[0].Value; len(got) > 250 || !strings.HasSuffix(got, "…+840 bytes") {
		t.Errorf("a value of 1000 bytes is shown as %s", got)
	}
}

func TestRecordingOfAFailure(t *testing.T) {
	c := compiler(t)
	recording := script.NewRecording(10)
	_, _, err := evaluateOnce(c, `object.a == 1 && object.b.c == 2`, map[string]any{"a": int64(1)}, recording)
	kept, _ := recording.Steps()
	var last string
	for _, s := range kept {
		last = s.Expression + " = " + s.Value
		if s.Expression == "object.b.c" && s.Value != "error: no such key: b" {
			t.Errorf("object.b.c = %s", s.Value)
		}
	}
	if err == nil || !strings.HasPrefix(last, "object.a == 1 && object.b.c == 2 = error: ") {
		t.Errorf("error %v, the last step is %s", err, last)
	}
}

// TestRecordingDoesNotChangeTheRun compares random expressions with and without a recording.
func TestRecordingDoesNotChangeTheRun(t *testing.T) {
	c := compiler(t)
	object := plain(t, `{"n": 3, "s": "abc", "list": [3, 1, "x", [2]], "map": {"k": {"k": 1}}}`)
	r := rand.New(rand.NewPCG(5, 6))
	values, failures := 0, 0
	for range 2_000 {
		source := randomExpression(r, 3, nil)
		bare, cost, wrong := evaluateOnce(c, source, object, nil)
		recording := script.NewRecording(20)
		seen, usage, err := evaluateOnce(c, source, object, recording)
		if d := cmp.Diff(bare.results, seen.results); d != "" || cost != usage || fmt.Sprint(wrong) != fmt.Sprint(err) {
			t.Errorf("%s: (-bare +recorded)\n%s; usage %+v and %+v; errors %v and %v", source, d, cost, usage, wrong, err)
		}
		all, sum := recording.Lines()
		for _, l := range all {
			sum += l.Gas
		}
		if sum != usage.Gas {
			t.Errorf("%s: lines took %d, the run %d", source, sum, usage.Gas)
		}
		if err != nil {
			failures++
		} else {
			values++
		}
	}
	if values < 200 || failures < 200 {
		t.Errorf("%d expressions returned a value and %d failed: the test sees too few", values, failures)
	}
}

func TestRecordingOfTheAnswer(t *testing.T) {
	const chosen = `// what it is about
object.a ? 1 :
  object.b == "x" ?
    cel.bind(n, 2, n > 1 ?
      n + 1 :
      4) :
    5`
	for name, test := range map[string]struct {
		source, want string
		object       map[string]any
	}{
		"the first branch":         {chosen, "test.cel:2 test.cel:2:12", map[string]any{"a": true}},
		"a branch in another":      {chosen, "test.cel:2 test.cel:5:7", map[string]any{"a": false, "b": "x"}},
		"the last branch":          {chosen, "test.cel:2 test.cel:7:5", map[string]any{"a": false, "b": "y"}},
		"an operator begins first": {`object.a + 1`, "test.cel:1 test.cel:1:1", map[string]any{"a": int64(1)}},
		"a failure":                {`object.a + 1`, "test.cel:1 test.cel", map[string]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			recording := script.NewRecording(0)
			_, _, err := evaluateOnce(compiler(t), test.source, test.object, recording)
			entry, returned := recording.Answer()
			if returned.File == "" {
				returned.File = "test.cel"
			}
			if got := entry.String() + " " + returned.String(); got != test.want {
				t.Errorf("got %s, want %s (error %v)", got, test.want, err)
			}
		})
	}
}
