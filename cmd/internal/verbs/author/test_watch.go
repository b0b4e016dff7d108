// SPDX-License-Identifier: Apache-2.0

package author

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/watch"
)

// runWatching runs the cases, and once more what a change affects, until it is interrupted. The error has the exit
// code of the last run. Where the first run finds nothing that it could read, it returns at once.
func (o *testOptions) runWatching(ctx context.Context) error {
	if o.output != "text" {
		return fmt.Errorf("watch: the form %s is one document; --watch prints text, again and again", o.output)
	}
	selection, err := o.selection()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	tree := &watch.Tree{Paths: o.watched(selection), OnError: func(err error) {
		author.Printer{Out: o.streams.Err}.Notes([]error{err})
	}}
	for _, p := range tree.Paths {
		if _, err := os.Stat(p); err != nil {
			return err
		}
	}
	changes := make(chan []string)
	ready := make(chan struct{})
	go tree.Run(ctx, changes, func() { close(ready) })
	<-ready
	return o.runOnChanges(changes, selection.Paths)
}

// watched returns the files and folders of which a change matters.
func (o *testOptions) watched(s author.Selection) []string {
	var all []string
	for _, p := range append(slices.Clone(s.Paths), s.Bundle, s.Customization) {
		if p == "" {
			continue
		}
		if home := source.New(verb.HostFS{}).Home(p); home != nil {
			p = home.Dir // scripts above the cases count too
		}
		all = append(all, filepath.FromSlash(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// runOnChanges runs the cases at some paths, then those that each change affects, until changes is closed, and prints
// the error of each run. It returns the exit code of the last one.
func (o *testOptions) runOnChanges(changes <-chan []string, paths []string) error {
	printer := author.Printer{Out: o.streams.Err}
	run := func(paths []string) error {
		once := *o
		once.paths = paths
		err := once.run()
		if err == nil {
			return nil
		}
		printer.Errors(err)
		return verb.Exit(verb.CodeOf(err), "")
	}
	last := run(paths)
	for files := range changes {
		fmt.Fprintf(o.streams.Out, "changed: %s\n", changedFiles(files))
		last = run(o.affectedPaths(files, paths))
	}
	return last
}

// maxChanged is how many files that changed are named.
const maxChanged = 5

// changedFiles names the files of a change.
func changedFiles(files []string) string {
	text := strings.Join(files[:min(maxChanged, len(files))], ", ")
	if more := len(files) - maxChanged; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// affectedPaths returns the paths whose cases changed files affect: those in the bundles, or beside the
// customizations, that the files belong to. It is all paths where a file belongs to none, or to what answers
// all cases.
func (o *testOptions) affectedPaths(files, paths []string) []string {
	if o.bundle != "" || o.customization != "" {
		return paths
	}
	var all []string
	for _, file := range files {
		home := source.New(verb.HostFS{}).Home(filepath.ToSlash(file))
		if home == nil {
			return paths
		}
		for _, p := range paths {
			switch p = path.Clean(p); {
			case isBelow(p, home.Dir):
				all = append(all, p)
			case isBelow(home.Dir, p):
				all = append(all, home.Dir)
			}
		}
	}
	if len(all) == 0 {
		return paths
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isBelow reports whether a path is a folder, or lies below it.
func isBelow(name, dir string) bool {
	return name == dir || dir == "." && !path.IsAbs(name) && !strings.HasPrefix(name, "..") || strings.HasPrefix(name, dir+"/")
}
