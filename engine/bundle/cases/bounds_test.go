// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"strings"
	"testing"
)

// Before, the parser of quantities wrote out 10 to the exponent, for minutes.
func TestHugeQuantitiesAreNotParsed(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	for name, quantity := range map[string]string{
		"a large exponent":   "1e999999999",
		"a small exponent":   "1e-999999999",
		"an exponent as E":   "1E99999999",
		"many digits":        strings.Repeat("9", 1<<20),
		"many digits behind": "0." + strings.Repeat("9", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if sameQuantity("requirements.resourceRequest.cpu", quantity, "1"+quantity) {
				t.Error("two different quantities are the same")
			}
			for _, key := range []string{"resourceRequest", "RESOURCEREQUEST"} {
				output := fmt.Sprintf("output: {replica: 1, requires: {%s: {cpu: %q}}}", key, quantity)
				text := strings.NewReplacer("ANSWER", "answer: 1", "OPERATION", "InterpretReplica", "OUTPUT", output).Replace(form)
				_, err := Read(nil, "a.yaml", []byte(text))
				if want := "a.yaml:4: output.requires: cpu of resourceRequest: the quantity"; err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s: got error %v; want %s", key, err, want)
				}
			}
		})
	}
}

func TestDiffEndsAfterSomeDifferences(t *testing.T) {
	want, got := map[string]any{}, map[string]any{}
	for i := range 10_000 {
		want[fmt.Sprint(i)] = []any{int64(1)}
		got[fmt.Sprint(i)] = []any{int64(2)}
	}
	if n := len(diff("a", want, got, nil)); n != maxFailures {
		t.Errorf("got %d differences; want %d", n, maxFailures)
	}
}

// Before, each value below a long key had a path of its length.
func TestPathsOfDifferencesAreShort(t *testing.T) {
	var want, got any = int64(1), int64(2)
	for range 50 {
		key := strings.Repeat("x", 10_000)
		want, got = map[string]any{key: want}, map[string]any{key: got}
	}
	failures := diff("a", want, got, nil)
	if n := len(failures[0].Path); n > maxPath+maxKey+20 {
		t.Errorf("a path has %d bytes", n)
	}
}

// Before, an answer that has one long text many times was written out as JSON.
func TestAnAnswerThatIsTooLargeIsNotCompared(t *testing.T) {
	shared := []any{}
	text := strings.Repeat("x", 1<<20)
	for range 5000 {
		shared = append(shared, text)
	}
	if got := plain(shared); got != any(tooLarge) {
		t.Errorf("got %T; want the text that it is too large", got)
	}
	if got := plain(shared[:3]); got == any(tooLarge) {
		t.Error("an answer of 3 MiB is too large")
	}
}

func TestPatternsAreBoundedBeforeTheyAreParsed(t *testing.T) {
	for name, c := range map[string]struct{ pattern, want string }{
		"long":                        {strings.Repeat("x", 1025), "a pattern of 1025 bytes; want at most 1024"},
		"folded classes":              {`(?i)[B-\x{1e942}]`, "ignores case"},
		"folded classes among flags":  {`a(?sUi:[B-\x{1e942}])`, "ignores case"},
		"folded classes of a name":    {`(?P<n>a)(?im)\pL`, "ignores case"},
		"no expression":               {"(", "missing closing )"},
		"folded letters, as they may": {"(?i)abc", ""},
		"classes, as they may":        {"(?-i)[a-z]+ (?s:.)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fileReader(nil).pattern(c.pattern)
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("got error %v; want %q", err, c.want)
			}
		})
	}
	s := fileReader(nil)
	for range maxPatterns / maxPattern {
		if _, err := s.pattern(strings.Repeat("x", maxPattern)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.pattern("x"); err == nil {
		t.Error("one more pattern is compiled than all may have")
	}
}
