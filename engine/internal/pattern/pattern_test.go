// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"errors"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	wide := int64(125_000)
	tests := map[string]struct {
		source      string
		least, most int64
	}{
		"a text":                      {"abc", 1, 100},
		"a class":                     {"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", 1, 300},
		"a class with another case":   {"(?i)[a-z0-9]+", 13, 300},
		"a wide range":                {`[B-\x{1e942}]`, 1, 100},
		"a wide range, folded":        {`(?i)[B-\x{1e942}]`, wide, -1},
		"in a group":                  {`(?s-U:(?sim:[B-\x{1e942}]))`, wide, -1},
		"of plain characters":         {"(?i)[B-\U0001e942]", wide, -1},
		"of hexadecimal digits":       {`(?i)[\x42-\x{000001e942}]`, wide, -1},
		"of octal digits":             {`(?i)[\102-\x{1e942}]`, wide, -1},
		"of escaped characters":       {`(?i)[\*-\x{1e942}]`, wide, -1},
		"from a minus":                {`(?i)[--\x{1e942}]`, wide, -1},
		"negated":                     {`(?i)[^B-\x{1e942}]`, wide, -1},
		"behind a quote":              {`(?i)\Q\\E[B-\x{1e942}]`, wide, -1},
		"of all that has no case":     {`(?i)[\x{20000}-\x{10ffff}]`, 1, 200},
		"many tables":                 {strings.Repeat(`\pL`, 20), 20 * tableCost, 21 * tableCost},
		"what does not parse is read": {`(?i)[a-\x{`, 1, -1},
		"a last backslash":            {`(?i)[a-\`, 1, 100},
	}
	for name, tc := range tests {
		got, err := Cost(tc.source)
		if refused := tc.least > MaxCost || tc.most < 0; refused != errors.Is(err, errWide) {
			t.Errorf("%s: Cost(%q) is %d with the error %v", name, tc.source, got, err)
		}
		if err == nil && (got < tc.least || got > tc.most) {
			t.Errorf("%s: Cost(%q) is %d, want %d to %d", name, tc.source, got, tc.least, tc.most)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := map[string]struct {
		source string
		want   string
	}{
		"a long text":        {strings.Repeat("a", MaxLength+1), errLong.Error()},
		"300 classes":        {strings.Repeat(`(?i)[B-\x{1e942}]`, 200), errWide.Error()},
		"counts":             {"(a{30}){30}", errLarge.Error()},
		"an odd count":       {"a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"},
		"what is not paid":   {"abc", "no more"},
		"what counts repeat": {"(ab{90}){3}", "no more"},
	}
	for name, tc := range tests {
		left := int64(1000)
		if tc.source == "abc" {
			left = 10
		}
		_, err := Compile(tc.source, func(units int64) error {
			if left -= units; left < 0 && strings.Contains(tc.want, "no more") {
				return errors.New("no more")
			}
			return nil
		})
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: error is %v, want %s", name, err, tc.want)
		}
	}
}

func TestInstructionsBoundTheProgram(t *testing.T) {
	for _, source := range []string{
		``, `a`, `abc`, `a|b|cd`, `(a*)*`, `[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`, `(a{20}){20}b`, `a{3,}`, `(?i)abc`, `^\d+\.\d*$`, `.{5}`, `(ab|c){2,7}x?`,
	} {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got := instructions(tree)
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		// fail and match are in every program.
		if size := int64(len(program.Inst)); got+2 < size {
			t.Errorf("instructions(%q) is %d, the program has %d", source, got, size)
		}
	}
}

// FuzzCost looks for texts that Cost cannot read, and for ranges that it does not count.
func FuzzCost(f *testing.F) {
	for _, seed := range []string{`(?i)[B-\x{1e942}]`, `\pL[[:alpha:]]`, `(?P<n>a)\Q-\E`, "[a-\xff]", `\x{`, `\0-\777`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		cost, err := Cost(source)
		if err != nil {
			return
		}
		if cost < int64(len(source)) {
			t.Fatalf("Cost(%q) is %d", source, cost)
		}
		if _, err := Compile(source, nil); errors.Is(err, errWide) {
			t.Fatalf("Compile(%q) refuses what Cost takes", source)
		}
	})
}
