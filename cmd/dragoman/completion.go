// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// completer returns what a shell offers for a word: a value a line, with a tab before its description. args
// are the arguments before it.
type completer = cobra.CompletionFunc

// flagCompleters are those of the flags that mean the same in each verb.
var flagCompleters = map[string]completer{
	"operation": completeOperations, "bundle": completeBundles, "disable": completeRules, "kind": completeKinds,
}

// argumentCompleters are those of arguments, by the verb: one for each, the last one also for all that
// follow; nil completes files.
var argumentCompleters = map[string][]completer{
	"build": {completeBundles, nil}, "diff": {completeBundles, completeBundles, nil}, "fuzz": {completeBundles, nil},
	"lint": {completeRules, completeNothing}, "migrate": {completeBundles, nil}, "pack": {completeBundles, nil},
	"push": {completeBundles, completeNothing}, "record": {completeBundles, completeKinds, completeNothing}, "types": {completeBundles, nil},
}

// addCompletions has a command and those below it complete values.
func addCompletions(c *cobra.Command) {
	for name, complete := range flagCompleters {
		if c.LocalFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, complete) // it fails for a flag that is not there
		}
	}
	if all := argumentCompleters[c.Name()]; all != nil && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			complete := all[min(len(args), len(all)-1)]
			if complete == nil {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return complete(c, args, word)
		}
	}
	for _, below := range c.Commands() {
		addCompletions(below)
	}
}

func completeNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeOperations offers the names of scripts, and where the word is none of their beginnings the names
// on the wire.
func completeOperations(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var scripts, wire []string
	for _, op := range engine.Operations() {
		scripts = offer(scripts, op.File, op.Doc, word)
		wire = offer(wire, string(op.Name), op.Doc, word)
	}
	if len(scripts) > 0 {
		return scripts, cobra.ShellCompDirectiveNoFileComp
	}
	return wire, cobra.ShellCompDirectiveNoFileComp
}

// offer adds a value that begins as the word does; case does not matter.
func offer(all []string, value, description, word string) []string {
	if len(value) < len(word) || !strings.EqualFold(value[:len(word)], word) {
		return all
	}
	return append(all, value+"\t"+description)
}

// completeRules offers the rules of check; of several behind commas the last one.
func completeRules(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if i := strings.LastIndex(word, ","); i >= 0 {
		before, word = word[:i+1], word[i+1:]
	}
	var all []string
	for _, r := range author.LintRules() {
		if strings.HasPrefix(r.ID, word) {
			all = append(all, before+r.ID+"\t"+r.Summary)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completeBundles offers the folders of bundles in the folder of the word, and one level below; where there
// are none, folders.
func completeBundles(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	dir, _ := filepath.Split(word)
	var all []string
	for _, folder := range foldersIn(dir) {
		if strings.HasPrefix(folder, word) {
			all = append(all, bundlesAt(folder)...)
			for _, below := range foldersIn(folder + string(filepath.Separator)) {
				all = append(all, bundlesAt(below)...)
			}
		}
	}
	if len(all) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// foldersIn returns the folders in a folder, "" being the current one, that are not hidden.
func foldersIn(dir string) []string {
	at := dir
	if at == "" {
		at = "."
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && !bundle.Hidden(e.Name()) {
			all = append(all, dir+e.Name())
		}
	}
	return all
}

func bundlesAt(folder string) []string {
	if isBundle(folder) {
		return []string{folder}
	}
	return nil
}

// completeKinds offers the kinds of the bundles that the line names, by --bundle or as its first argument;
// where it names none, those of the bundles of this program.
func completeKinds(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var named []string
	if f := c.Flags().Lookup("bundle"); f != nil && f.Value.String() != "" {
		if list, err := c.Flags().GetStringArray("bundle"); err == nil {
			named = list
		} else {
			named = []string{f.Value.String()}
		}
	} else if len(args) > 0 && isBundle(args[0]) {
		named = args[:1]
	}
	var all []string
	for _, dir := range named {
		all = append(all, kindsIn(hostFS{}, path.Clean(filepath.ToSlash(dir)), word)...)
	}
	if len(named) == 0 {
		entries, err := fs.ReadDir(scripts.FS, ".")
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		for _, e := range entries {
			if e.IsDir() {
				all = append(all, kindsIn(scripts.FS, e.Name(), word)...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

// kindsIn returns the kinds of a bundle; none of one that cannot be read.
func kindsIn(fsys fs.FS, dir, word string) []string {
	outline, err := bundle.ReadOutline(fsys, dir)
	if err != nil {
		return nil
	}
	var all []string
	for _, kind := range outline.Kinds {
		if kind != engine.AnyKind {
			all = offer(all, kind.Kind, kind.Group, word)
		}
	}
	return all
}
