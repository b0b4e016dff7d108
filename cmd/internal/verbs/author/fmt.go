// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author/reference"
)

// formatter is the program that formats Lua.
const formatter = "stylua"

// formatterArguments have it format stdin in the layout of the bundles of this program. Other
// options are its defaults: no file of the user sets them.
var formatterArguments = []string{
	"--syntax", "Lua51", "--indent-type", "Spaces", "--indent-width", "2", "--column-width", "120", "--line-endings", "Unix",
	"--no-editorconfig", "--verify", "-",
}

// fmtOptions are the flags of fmt.
type fmtOptions struct {
	streams verb.Streams
	check   bool
}

func newFmtCommand(streams verb.Streams) *cobra.Command {
	o := &fmtOptions{streams: streams}
	c := &cobra.Command{
		Use:   "fmt [FILE|FOLDER]...",
		Short: "Format the scripts in Lua of bundles",
		Long: `fmt formats the scripts and modules in Lua of the bundles in folders, by default in this one, and
files that are named, and prints each that it changes. Two spaces indent, and a line has up to 120
characters. It runs StyLua, which must be in the PATH: https://github.com/JohnnyMorganz/StyLua has
it, as do cargo install stylua and npm install --global @johnnymorganz/stylua-bin.

A file that is no Lua stays as it is, and what is hidden or ignored by a bundle is left out. A file
is written whole or not at all. With --check nothing is written, and it exits 1 where a file would
be changed. It exits 3 where there is nothing to format.`,
		Example: `  dragoman fmt
  dragoman fmt --check ./bundles
  dragoman fmt flink/FlinkDeployment/health.lua`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return o.run(c.Context(), args)
		},
	}
	c.Flags().BoolVar(&o.check, "check", false, "write nothing; exit 1 where a file would be changed")
	return c
}

func (o *fmtOptions) run(ctx context.Context, paths []string) error {
	var files []string
	for _, p := range paths {
		found, err := luaFiles(p)
		if err != nil {
			return err
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	if len(files) == 0 {
		return verb.Exit(verb.ExitNothing, "nothing was formatted: there is no bundle with a script in Lua in "+fmt.Sprint(paths))
	}
	program, err := exec.LookPath(formatter)
	if err != nil {
		return fmt.Errorf("fmt runs StyLua, and there is no %s in the PATH: get it from https://github.com/JohnnyMorganz/StyLua, "+
			"or by cargo install stylua or npm install --global @johnnymorganz/stylua-bin", formatter)
	}
	// StyLua reads a configuration from the folder that it runs in.
	dir, err := os.MkdirTemp("", "dragoman-fmt-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	var errs []error
	changed := false
	for _, file := range files {
		is, err := o.file(ctx, program, dir, file)
		errs, changed = append(errs, err), changed || is
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if changed && o.check {
		return verb.Exit(verb.ExitFound, "")
	}
	return nil
}

// file formats a file, and reports whether that changes it.
func (o *fmtOptions) file(ctx context.Context, program, dir, file string) (changed bool, err error) {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return false, err
	}
	before, err := os.ReadFile(target)
	if err != nil {
		return false, err
	}
	shown := filepath.ToSlash(file)
	if err := reference.LuaSyntax(shown, string(before)); err != nil {
		return false, err
	}
	after, err := formatUntilStable(ctx, program, dir, before)
	if err != nil {
		return false, fmt.Errorf("format %s: %w", shown, err)
	}
	if bytes.Equal(before, after) {
		return false, nil
	}
	if err := reference.LuaSyntax(shown, string(after)); err != nil {
		return false, fmt.Errorf("format %s: what %s made of it is no Lua, and was not written: %s", shown, formatter, firstLineOf(err.Error()))
	}
	if !o.check {
		if err := verb.WriteFile(target, after, info.Mode().Perm()); err != nil {
			return false, err
		}
	}
	_, err = fmt.Fprintln(o.streams.Out, shown)
	return true, err
}

// maxPasses is how often a text is formatted until it stays as it is. StyLua needs two for some.
const maxPasses = 5

// formatUntilStable returns what the formatter makes of a text, and leaves as it is.
func formatUntilStable(ctx context.Context, program, dir string, text []byte) ([]byte, error) {
	for range maxPasses {
		after, err := runFormatter(ctx, program, dir, text)
		if err != nil || bytes.Equal(after, text) {
			return after, err
		}
		text = after
	}
	return nil, fmt.Errorf("%s formats what it made in another way, %d times", formatter, maxPasses)
}

// runFormatter returns what the formatter makes of a text.
func runFormatter(ctx context.Context, program, dir string, text []byte) ([]byte, error) {
	var out, problems bytes.Buffer
	c := exec.CommandContext(ctx, program, formatterArguments...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, bytes.NewReader(text), &out, &problems
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", formatter, err, firstLineOf(problems.String()))
	}
	if out.Len() == 0 && len(bytes.TrimSpace(text)) > 0 {
		return nil, fmt.Errorf("%s printed nothing", formatter)
	}
	return out.Bytes(), nil
}

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
