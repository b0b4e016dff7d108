// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestStreams keeps what the program prints behind the writers of Execute: nothing else names the streams
// of the process, and Raw is for a protocol and for the terminal of repl.
func TestStreams(t *testing.T) {
	allowed := map[string][]string{
		`\bos\.Std(out|err)\b`: {"main.go"},
		`\.Raw\b`:              {"command.go", "explain_live.go", "lsp.go", "repl.go"}, // explain_live.go has one of a RawExtension
		`\bfmt\.Print(f|ln)?\(|\byaml\.Marshal\(`: nil,
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("found %d files, error %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for pattern, only := range allowed {
			found := regexp.MustCompile(pattern).FindString(string(text))
			if found != "" && !strings.HasSuffix(file, "_test.go") && !slices.Contains(only, file) {
				t.Errorf("%s has %q; write to Out and Err of Streams, and YAML by package printable", file, found)
			}
		}
	}
}
