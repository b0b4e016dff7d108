// SPDX-License-Identifier: Apache-2.0

package author

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{filepath.Join("testdata", "check", "*.yaml"), filepath.Join("..", "..", "api", "testdata", "*.yaml")} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, document := range strings.Split(string(text), "\n---\n") {
				f.Add(document)
			}
		}
	}
	compiler, err := engine.NewCompiler()
	if err != nil {
		f.Fatal(err)
	}
	c, err := NewChecker(compiler, "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		found := c.Text("f.yaml", []byte(text))
		for _, p := range found.Problems {
			if p.File != "f.yaml" || p.Line < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("problem %q of %d lines", p, lines)
			}
		}
		if len(found.Errs) > 0 {
			t.Errorf("errors %v; want problems", found.Errs)
		}
	})
}
