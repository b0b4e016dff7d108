// SPDX-License-Identifier: Apache-2.0

package verb

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

// flagCompleters are what completes the flags that mean the same in each verb.
var flagCompleters = map[string]cobra.CompletionFunc{
	"operation": completeOperations, "bundle": CompleteBundles, "disable": CompleteRules, "kind": CompleteKinds,
}

// CompleteArguments returns what completes the arguments of a verb: one function for each, the last one also
// for all that follow; nil completes files.
func CompleteArguments(all ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		complete := all[min(len(args), len(all)-1)]
		if complete == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return complete(c, args, word)
	}
}

// AddCompletions adds what completes the flags of a command and of those below it.
func AddCompletions(c *cobra.Command) {
	for name, complete := range flagCompleters {
		if c.LocalFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, complete) // it fails for a flag that is not there
		}
	}
	for _, below := range c.Commands() {
		AddCompletions(below)
	}
}

// CompleteNothing offers nothing, not even files.
func CompleteNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// CompleteValues offers these values, and no files.
func CompleteValues(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// completeOperations offers the names of scripts, and where the word is none of their beginnings the names
// on the wire.
func completeOperations(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var scripts, wire []string
	for _, op := range engine.Operations() {
		scripts = appendMatch(scripts, op.File, op.Doc, word)
		wire = appendMatch(wire, string(op.Name), op.Doc, word)
	}
	if len(scripts) > 0 {
		return scripts, cobra.ShellCompDirectiveNoFileComp
	}
	return wire, cobra.ShellCompDirectiveNoFileComp
}

// appendMatch adds a value that begins as the word does; case does not matter.
func appendMatch(all []string, value, description, word string) []string {
	if len(value) < len(word) || !strings.EqualFold(value[:len(word)], word) {
		return all
	}
	return append(all, value+"\t"+description)
}

// CompleteRules offers the rules of check; of several behind commas the last one.
func CompleteRules(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
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

// CompleteBundles offers the folders of bundles in the folder of the word, and one level below; where there
// are none, folders.
func CompleteBundles(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
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
	if IsBundle(folder) {
		return []string{folder}
	}
	return nil
}

// CompleteKinds offers the kinds of the bundles that the line names, by --bundle or as its first argument;
// where it names none, those of the bundles of this program.
func CompleteKinds(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var named []string
	if f := c.Flags().Lookup("bundle"); f != nil && f.Value.String() != "" {
		if list, err := c.Flags().GetStringArray("bundle"); err == nil {
			named = list
		} else {
			named = []string{f.Value.String()}
		}
	} else if len(args) > 0 && IsBundle(args[0]) {
		named = args[:1]
	}
	var all []string
	for _, dir := range named {
		all = append(all, kindsIn(HostFS{}, path.Clean(filepath.ToSlash(dir)), word)...)
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
			all = appendMatch(all, kind.Kind, kind.Group, word)
		}
	}
	return all
}
