// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository returns a folder with a tracked file a, one that is changed, one that is
// not tracked, and an ignored folder.
func repository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"a": "1", "changed": "1", "gone": "1", ".gitignore": "/ignored/\n"} {
		write(t, folder, name, text)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write(t, folder, "changed", "2")
	write(t, folder, "untracked", "1")
	if err := os.Remove(filepath.Join(folder, "gone")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		// want are parts of the error; none means no error.
		want []string
	}{
		"nothing":                     {"true", nil},
		"the same text":               {"printf 1 >a", nil},
		"an ignored file":             {"mkdir ignored && touch ignored/b", nil},
		"a tracked file":              {"printf 2 >a", []string{"\tchanged a"}},
		"its mode":                    {"chmod +x a", []string{"\tchanged a"}},
		"a file that was changed":     {"printf 3 >changed", []string{"\tchanged changed"}},
		"one that was restored":       {"git checkout -q gone", []string{"\tcreated gone"}},
		"an untracked file":           {"printf 2 >untracked", []string{"\tchanged untracked"}},
		"a new file":                  {"touch b", []string{"\tcreated b"}},
		"a removed file":              {"rm a untracked", []string{"\tremoved a", "\tremoved untracked"}},
		"a failure":                   {"exit 3", []string{"exit status 3"}},
		"a failure that leaves files": {"touch b; exit 3", []string{"exit status 3", "\tcreated b"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(repository(t), []string{"sh", "-c", c.command})
			if err == nil != (len(c.want) == 0) {
				t.Fatalf("got error %v, want %q", err, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got error %v, want %q in it", err, part)
				}
			}
		})
	}
}
