// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// watchedBundle writes a bundle with a script and a case below a folder.
func watchedBundle(t *testing.T, dir, name, health string) {
	t.Helper()
	for file, text := range map[string]string{
		"bundle.yaml": "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: " + name + "}\nspec:\n  kinds: [{group: " + name +
			".example.com, versions: [v1], kind: Site}]\n",
		"Site/health.lua": "function InterpretHealth(object) return " + health + " end\n",
		"Site/testdata/health.yaml": "name: healthy " + name + "\nobservedObj: {apiVersion: " + name + ".example.com/v1, kind: Site, metadata: {name: a}}\n" +
			"operation: InterpretHealth\noutput: {healthy: true}\n",
	} {
		writeBelow(t, filepath.Join(dir, name, file), text)
	}
}

func writeBelow(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A change runs the bundle again that it is in, also after a script that does not parse.
func TestWatchRunsWhatAChangeAffects(t *testing.T) {
	dir := t.TempDir()
	watchedBundle(t, dir, "one", "true")
	watchedBundle(t, dir, "two", "true")
	script := filepath.Join(dir, "one/Site/health.lua")
	var out, errs bytes.Buffer
	o := &testOptions{streams: verb.Streams{Out: &out, Err: &errs}, output: "text"}
	changes := make(chan []string)
	done := make(chan error)
	go func() { done <- o.runOnChanges(changes, []string{filepath.ToSlash(dir)}) }()
	for _, text := range []string{
		"function InterpretHealth(object) return", // does not parse
		"function InterpretHealth(object) return false end\n",
	} {
		changes <- []string{filepath.Join(dir, "two/README.md")} // what ran before has ended
		writeBelow(t, script, text)
		changes <- []string{script}
	}
	close(changes)
	err := <-done
	if verb.CodeOf(err) != verb.ExitFound {
		t.Errorf("got exit code %d, error %v; want that of the last run, %d", verb.CodeOf(err), err, verb.ExitFound)
	}
	runs := strings.Split(out.String(), "changed: ")
	for i, want := range []struct{ has, lacks string }{
		{"healthy two", ""},
		{"healthy two", "healthy one"},
		{"", "healthy"},
		{"healthy two", "healthy one"},
		{"FAIL healthy one", "healthy two"},
	} {
		if i >= len(runs) || !strings.Contains(runs[i], want.has) || want.lacks != "" && strings.Contains(runs[i], want.lacks) {
			t.Fatalf("run %d of %q: want one with %q and without %q", i, runs, want.has, want.lacks)
		}
	}
	if !strings.Contains(errs.String(), "one/Site/health.lua:1") {
		t.Errorf("stderr has no error of the script: %s", errs.String())
	}
}

// What is wrong is printed when it is found, and not when something changes again.
func TestWatchPrintsErrorsAtOnce(t *testing.T) {
	dir := t.TempDir()
	watchedBundle(t, dir, "one", "..")
	reader, writer := io.Pipe()
	o := &testOptions{streams: verb.Streams{Out: io.Discard, Err: writer}, output: "text"}
	changes := make(chan []string)
	done := make(chan error)
	go func() { done <- o.runOnChanges(changes, []string{filepath.ToSlash(dir)}) }()
	lines := bufio.NewScanner(reader)
	if !lines.Scan() || !strings.Contains(lines.Text(), "one/Site/health.lua:1") {
		t.Errorf("the first line is %q", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	close(changes)
	if err := <-done; verb.CodeOf(err) != verb.ExitFound || err.Error() != "" {
		t.Errorf("got exit code %d and error %q; want %d, and nothing that is printed twice", verb.CodeOf(err), err, verb.ExitFound)
	}
}

// The whole way: files change on disk until the context ends.
func TestWatchSeesFiles(t *testing.T) {
	dir := t.TempDir()
	watchedBundle(t, dir, "one", "true")
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	code := make(chan int)
	go func() {
		command := newTestCommand(verb.Streams{Out: writer, Err: io.Discard})
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs([]string{"--watch", "--laws=false", filepath.Join(dir, "one")})
		err := command.ExecuteContext(ctx)
		_ = writer.Close()
		code <- verb.CodeOf(err)
	}()
	lines := bufio.NewScanner(reader)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("the output ended before %q", want)
	}
	await("1 passed, 0 failed")
	writeBelow(t, filepath.Join(dir, "one/Site/health.lua"), "function InterpretHealth(object) return false end\n")
	await("changed: " + filepath.Join(dir, "one/Site/health.lua"))
	await("0 passed, 1 failed")
	cancel()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if got := <-code; got != verb.ExitFound {
		t.Errorf("got exit code %d; want %d", got, verb.ExitFound)
	}
}

func TestAffected(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	watchedBundle(t, dir, "one", "true")
	for name, c := range map[string]struct {
		o           testOptions
		file, paths string
		want        string
	}{
		"a bundle below a path":  {testOptions{}, "/one/Site/health.lua", "", "/one"},
		"a path below a bundle":  {testOptions{}, "/one/Site/health.lua", "/one/Site/testdata", "/one/Site/testdata"},
		"a file of no bundle":    {testOptions{}, "/other.yaml", "", ""},
		"what answers all cases": {testOptions{bundle: "x"}, "/one/Site/health.lua", "", ""},
	} {
		got := c.o.affectedPaths([]string{dir + c.file}, []string{dir + c.paths})
		if len(got) != 1 || got[0] != dir+c.want {
			t.Errorf("%s: got %q; want %s", name, got, dir+c.want)
		}
	}
}
