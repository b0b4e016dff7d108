// SPDX-License-Identifier: Apache-2.0

// Package programs has the programs of this module for tests that run them: those that make
// build made, or else builds of the same form. It keeps no state: a test process calls Dir
// once and keeps the folder.
package programs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Variable is the environment variable with the folder, an absolute path, of programs that
// make build made from the tree as it is.
const Variable = "DRAGOMAN_BIN"

// All returns the names of all programs, as make build names them.
func All() []string {
	return []string{"dragoman", "dragoman-estimator", "dragoman-fleet", "dragoman-manager"}
}

// Dir returns a folder that has the named programs, or All if none is named. That is the folder
// that Variable names; it is an error if a program is missing there, or is older than a file that
// it is built from. Without the variable it is scratch, a folder of the caller's, into which it
// builds them.
//
// The go command repeats what a test printed until a file changes that the test process looked
// at, and it does not see what a program is built from. So Dir looks at these files. It hides
// that it looks at the programs: make build sets their times also where it changes nothing, and
// all that runs them would run again.
func Dir(ctx context.Context, scratch string, names ...string) (string, error) {
	if len(names) == 0 {
		names = All()
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	files, err := sources(ctx, root)
	if err != nil {
		return "", err
	}
	last, err := lookAt(files)
	if err != nil {
		return "", err
	}
	if dir := os.Getenv(Variable); dir != "" {
		return dir, present(dir, names, last)
	}
	if _, err := goTool(ctx, root, buildArguments(scratch, names)...); err != nil {
		return "", err
	}
	return scratch, nil
}

// source is a file and when it was written.
type source struct {
	file string
	at   time.Time
}

// present returns an error if a folder lacks one of the programs, or has one that was built before
// a source was written.
func present(dir string, names []string, last source) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("%s is %q: want an absolute path, since tests run in the folders of their packages", Variable, dir)
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		var stat syscall.Stat_t // os.Stat tells the go command
		if err := syscall.Stat(file, &stat); err != nil {
			return fmt.Errorf("%s, of %s: %w; run make build", file, Variable, err)
		}
		if built := time.Unix(stat.Mtim.Unix()); built.Before(last.at) {
			return fmt.Errorf("%s, of %s, is older than %s; run make build", file, Variable, last.file)
		}
	}
	return nil
}

// buildArguments returns the arguments of the go command that builds programs into a folder, as make build
// builds them.
func buildArguments(dir string, names []string) []string {
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", dir + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "./cmd/"+name)
	}
	return args
}

// sources returns the files of this module that the programs are built from.
func sources(ctx context.Context, root string) ([]string, error) {
	const format = `{{if not .Standard}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .IgnoredGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`
	text, err := goTool(ctx, root, "list", "-deps", "-f", format, "./cmd/...")
	if err != nil {
		return nil, err
	}
	files := []string{filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum")}
	for file := range strings.Lines(text) {
		if file = strings.TrimSpace(file); strings.HasPrefix(file, root+string(filepath.Separator)) {
			files = append(files, file)
		}
	}
	return files, nil
}

// lookAt looks at files, and returns the one that was written last.
func lookAt(files []string) (last source, err error) {
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return source{}, err
		}
		if at := info.ModTime(); at.After(last.at) {
			last = source{file, at}
		}
	}
	return last, nil
}

// moduleRoot returns the folder of the module of the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	file, err := goTool(ctx, "", "env", "GOMOD")
	return filepath.Dir(strings.TrimSpace(file)), err
}

// goTool runs the go command in a folder and returns what it prints.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, slices.Concat(os.Environ(), []string{"CGO_ENABLED=0"}), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
