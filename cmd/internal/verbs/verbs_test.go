// SPDX-License-Identifier: Apache-2.0

package verbs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// TestGroups has each verb in a group of the help, also help and completion.
func TestGroups(t *testing.T) {
	var out strings.Builder
	root := NewCommand(verb.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if len(root.Commands()) < 30 {
		t.Errorf("there are only %d verbs", len(root.Commands()))
	}
	for _, c := range root.Commands() {
		inGroup := slices.ContainsFunc(root.Groups(), func(g *cobra.Group) bool { return g.ID == c.GroupID })
		if c.GroupID == "" || !inGroup {
			t.Errorf("%s is in no group of the help", c.Name())
		}
	}
	if err := root.Help(); err != nil {
		t.Fatal(err)
	}
	help := out.String()
	for _, g := range root.Groups() {
		if !strings.Contains(help, "\n"+g.Title+"\n  ") {
			t.Errorf("the help has no group %q with verbs:\n%s", g.Title, help)
		}
	}
	if strings.Contains(help, "Additional Commands") {
		t.Errorf("the help has commands without a group:\n%s", help)
	}
}

// TestStreams keeps what the program prints behind the writers of Execute: nothing else names the streams
// of the process, and Raw is for a protocol and for the terminal of repl.
func TestStreams(t *testing.T) {
	allowed := map[string][]string{
		`\bos\.Std(out|err)\b`: nil,
		`\.Raw\b`:              {"verb/streams.go", "plane/explain_live.go", "author/lsp.go", "author/repl.go"}, // explain_live.go has one of a RawExtension
		`\bfmt\.Print(f|ln)?\(|\byaml\.Marshal\(`: nil,
	}
	count := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		count++
		text, err := os.ReadFile(file)
		for pattern, only := range allowed {
			found := regexp.MustCompile(pattern).FindString(string(text))
			if found != "" && !slices.Contains(only, filepath.ToSlash(file)) {
				t.Errorf("%s has %q; write to Out and Err of Streams, and YAML by package printable", file, found)
			}
		}
		return err
	})
	if err != nil || count < 50 {
		t.Fatalf("found %d files, error %v", count, err)
	}
}
