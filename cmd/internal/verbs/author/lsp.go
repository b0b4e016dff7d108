// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
	"github.com/dragoman-io/dragoman/docs"
	"github.com/dragoman-io/dragoman/engine/author/lsp"
)

func newLSPCommand(streams verb.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor with what check finds, completions and descriptions",
		Long: `lsp is a server of the Language Server Protocol 3.17 on stdin and stdout, which an editor
starts: dragoman docs editor has how. As one types, it checks the bundle that a file belongs to,
or a file that is in none, as dragoman check does, with the texts of the editor in the place of the
files. It completes and describes the functions of kube, the fields that the CRDs in crds of the
bundle have, the functions of operations, parameters, and the keys of manifests and cases; and it
finds where modules and their functions are defined.

It exits 0 at the end of a session, 1 where the editor ends without a shutdown, and 2 where stdin
is no such protocol.`,
		Example: `  dragoman lsp`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o := lsp.Options{Files: verb.HostFS{}, Review: reviewed, Version: version.Read().Version}
			var err error
			if o.Manifest, err = documentedKeys("bundle", "| field | type | meaning |"); err != nil {
				return err
			}
			if o.Cases, err = documentedKeys("cases", "| key | meaning |"); err != nil {
				return err
			}
			err = lsp.Serve(streams.In, streams.Raw, o)
			if errors.Is(err, lsp.ErrNoShutdown) {
				return verb.Exit(verb.ExitFound, err.Error())
			}
			return err
		},
	}
}

// keyRow matches a row of a table of keys, and keyName each key in its first column.
var (
	keyRow       = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| (.*) \\|$")
	keyName      = regexp.MustCompile("`([^`]+)`")
	markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// documentedKeys returns the keys in the first table of a page with a header: a row has the names,
// maybe a type, and what it means.
func documentedKeys(page, header string) ([]lsp.Key, error) {
	text, err := docs.Page(page)
	if err != nil {
		return nil, err
	}
	_, table, found := strings.Cut(text, "\n"+header+"\n")
	if !found {
		return nil, fmt.Errorf("page %s has no table %q", page, header)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var all []lsp.Key
	for _, row := range keyRow.FindAllStringSubmatch(table, -1) {
		kind, doc, typed := strings.Cut(row[2], " | ")
		if !typed {
			kind, doc = "", row[2]
		}
		doc = strings.ReplaceAll(markdownLink.ReplaceAllString(doc, "$1"), "`", "")
		for _, name := range keyName.FindAllStringSubmatch(row[1], -1) {
			all = append(all, lsp.Key{Path: name[1], Type: kind, Doc: doc})
		}
	}
	return all, nil
}
