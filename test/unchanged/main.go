// SPDX-License-Identifier: Apache-2.0

// Command unchanged runs a command and fails if it created, changed or removed a file
// of the repository: one that git tracks or does not ignore. What was changed before
// does not count, so that it also works on a tree with work in progress; it restores
// nothing and removes nothing.
//
//	unchanged COMMAND [ARGUMENT]...
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: unchanged COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run runs a command in a folder of a repository. The error is that of the command, or
// lists the files that it changed.
func run(folder string, command []string) error {
	before, err := snapshot(folder)
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, os.Stdout, os.Stderr
	failed := cmd.Run()
	if failed != nil {
		failed = fmt.Errorf("run %s: %w", strings.Join(command, " "), failed)
	}
	after, err := snapshot(folder)
	if err != nil {
		return errors.Join(failed, err)
	}
	if changes := compare(before, after); len(changes) > 0 {
		failed = errors.Join(failed, fmt.Errorf("%s changed the tree; look at the changes, keep them, and run it again:\n\t%s",
			strings.Join(command, " "), strings.Join(changes, "\n\t")))
	}
	return failed
}

// absent stands for a tracked file that is not in the tree.
const absent = "absent"

// snapshot returns a fingerprint of each file that git tracks or does not ignore, by its
// path below the folder.
func snapshot(folder string) (map[string]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the repository: %w", err)
	}
	files := map[string]string{}
	for _, path := range bytes.Split(out, []byte{0}) {
		if len(path) == 0 {
			continue
		}
		if files[string(path)], err = fingerprint(filepath.Join(folder, string(path))); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fingerprint returns the mode and the hash of a file, or the target of a link.
func fingerprint(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return os.Readlink(path)
	case !info.Mode().IsRegular():
		return info.Mode().String(), nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text)), nil
}

// compare returns a line for each file that differs, sorted by path.
func compare(before, after map[string]string) []string {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var changes []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, is := before[path], after[path]
		switch {
		case was == is:
		case was == "" || was == absent:
			changes = append(changes, "created "+path)
		case is == "" || is == absent:
			changes = append(changes, "removed "+path)
		default:
			changes = append(changes, "changed "+path)
		}
	}
	return changes
}
