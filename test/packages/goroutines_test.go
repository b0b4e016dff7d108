// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStartsGoroutine(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"nothing":            {`f()`, false},
		"statement":          {`go f()`, true},
		"in a function":      {`x := func() { defer f(); go func() {}() }; x()`, true},
		"group":              {`var g sync.WaitGroup; g.Go(f)`, true},
		"group of x/sync":    {`g.Go(func() error { return nil })`, true},
		"function Go":        {`Go()`, false},
		"field Go":           {`x := y.Go`, false},
		"in text":            {"x := `go f()` // go f()", false},
		"goto, other method": {`l: x.Going(); goto l`, false},
	} {
		path := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(path, []byte("package a\n\nfunc f() {\n"+c.body+"\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := startsGoroutine(path); err != nil || got != c.want {
			t.Errorf("%s: got %v, error %v, want %v", name, got, err, c.want)
		}
	}
}

func TestStartsGoroutineNeedsGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte("not Go"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := startsGoroutine(path); err == nil {
		t.Error("got no error")
	}
	if _, err := startsGoroutine(path + ".missing"); err == nil {
		t.Error("a missing file: got no error")
	}
}
