// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// block is a fenced block of a document; line is that of its first line.
type block struct {
	language, text string
	line           int
}

// blocks returns the fenced blocks of a document in their order.
func blocks(document string) []block {
	var all []block
	var current *block
	for i, line := range strings.Split(document, "\n") {
		language, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && current == nil:
			current = &block{language: language, line: i + 2}
		case isFence:
			all = append(all, *current)
			current = nil
		case current != nil:
			current.text += line + "\n"
		}
	}
	return all
}

// withoutBlocks returns the document without its fenced blocks.
func withoutBlocks(document string) string {
	for _, b := range blocks(document) {
		document = strings.Replace(document, b.text, "", 1)
	}
	return document
}

// command is a command in a block and what it prints; source is its lines.
type command struct {
	text, output, source string
	line                 int
}

// commands returns the commands of a block that begins with one.
func commands(b block) []command {
	var all []command
	for i, line := range strings.Split(strings.TrimRight(b.text, "\n"), "\n") {
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, command{text: text, source: line + "\n", line: b.line + i})
			continue
		}
		last := &all[len(all)-1]
		if continued, ok := strings.CutSuffix(last.text, "\\"); ok {
			last.text, last.source = continued+strings.TrimSpace(line), last.source+line+"\n"
			continue
		}
		last.output += line + "\n"
	}
	for i := range all {
		all[i].output = strings.Trim(all[i].output, "\n")
	}
	return all
}

// matches reports whether a text is the output of a document, in which a line of three
// dots stands for any lines.
func matches(output, text string) bool {
	var pattern strings.Builder
	pattern.WriteString(`(?s)^`)
	for line := range strings.SplitSeq(output, "\n") {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(.*\n)?`)
		} else {
			pattern.WriteString(regexp.QuoteMeta(line) + `\n`)
		}
	}
	return regexp.MustCompile(pattern.String() + `$`).MatchString(text + "\n")
}

// exists returns an error if what a line of a document calls does not exist: a target of
// the Makefile, a flag of a program, or a package.
func exists(line string) error {
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(line)
	for len(words) > 0 && strings.Contains(words[0], "=") { // KEEP=1 make demo
		words = words[1:]
	}
	if len(words) < 2 {
		return nil
	}
	switch {
	case words[0] == "make":
		return eachExists(words[1:], target)
	case strings.HasPrefix(words[0], "bin/"):
		program := filepath.Join(bin, strings.TrimPrefix(words[0], "bin/"))
		return eachExists(words[1:], func(word string) error { return flagOf(program, verbs(words[1:]), word) })
	case words[0] == "go" && words[1] == "run":
		_, err := os.Stat(filepath.Join(root, words[2]))
		return err
	}
	return nil
}

func eachExists(words []string, check func(string) error) error {
	for _, word := range words {
		if err := check(word); err != nil {
			return err
		}
	}
	return nil
}

// target checks a target of the Makefile; a variable is any.
func target(name string) error {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil || strings.Contains(name, "=") {
		return err
	}
	if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).Match(text) {
		return fmt.Errorf("the Makefile has no target %s", name)
	}
	return nil
}

// verbs returns the words before the first flag.
func verbs(words []string) []string {
	if i := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") }); i >= 0 {
		return words[:i]
	}
	return words
}

// flagOf checks a flag of a program, or of a verb of it; any other word is right.
func flagOf(program string, verbs []string, word string) error {
	if !strings.HasPrefix(word, "--") {
		return nil
	}
	help, err := exec.Command(program, append(slices.Clone(verbs), "--help")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("run %s --help: %w", program, err)
	}
	name, _, _ := strings.Cut(word, "=")
	if !slices.Contains(strings.Fields(string(help)), name) {
		return fmt.Errorf("%s has no flag %s", strings.Join(append([]string{filepath.Base(program)}, verbs...), " "), name)
	}
	return nil
}

const example = "a\n\n```yaml\n# mine/a.yaml\na: 1\n```\n\n```\n$ one \\\n    two\nx\n...\n$ three\n```\n[b](c)\n"

func TestBlocks(t *testing.T) {
	want := []block{
		{language: "yaml", text: "# mine/a.yaml\na: 1\n", line: 4},
		{text: "$ one \\\n    two\nx\n...\n$ three\n", line: 9},
	}
	got := blocks(example)
	if d := cmp.Diff(want, got, cmp.AllowUnexported(block{})); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	wantCommands := []command{
		{text: "one two", source: "$ one \\\n    two\n", output: "x\n...", line: 9},
		{text: "three", source: "$ three\n", line: 13},
	}
	if d := cmp.Diff(wantCommands, commands(got[1]), cmp.AllowUnexported(command{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		output, text string
		want         bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nc", false},
		{"a\nb", "a\nb\nc", false},
		{"", "", true},
		{"", "a", false},
		{"a\n...\nd", "a\nb\nc\nd", true},
		{"a\n...", "a\nb", true},
		{"a\n...", "a", true},
		{"...\nb", "a", false},
		{"a.", "ab", false},
	} {
		if got := matches(c.output, c.text); got != c.want {
			t.Errorf("matches(%q, %q) = %v", c.output, c.text, got)
		}
	}
}

func TestExists(t *testing.T) {
	for line, want := range map[string]bool{
		"make test": true, "KEEP=1 make demo": true, "make fuzz EACH=10m": true, "make tset": false,
		"bin/dragoman-manager --kubeconfig a": true, "bin/dragoman-manager --kubecfg=a": false,
		"go run ./test/bench": true, "go run ./test/bunch": false, "any text": true, "": true,
	} {
		if err := exists(line); (err == nil) != want {
			t.Errorf("exists(%q) = %v", line, err)
		}
	}
}
