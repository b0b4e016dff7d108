// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// newDocsCommand makes the command with the reference for authors. All of it is
// written from the tables that the engine itself uses.
func newDocsCommand(streams Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the reference for authors of scripts",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDocsKubeCommand(streams), newDocsOperationsCommand(streams))
	return c
}

func newDocsKubeCommand(streams Streams) *cobra.Command {
	c := docsCommand(streams, []form{
		{"text", func(w io.Writer) error { return kubeText(w, builtin.Functions()) }},
		{"json", func(w io.Writer) error { return writeJSON(w, functionEntries(builtin.Functions())) }},
		{"lua", func(w io.Writer) error { return luaDefinitions(w, builtin.Functions(), engine.Operations()) }},
		{"cel", func(w io.Writer) error { return celDeclarations(w, builtin.Functions()) }},
	})
	c.Use = "kube"
	c.Short = "Print the functions that scripts call as kube.NAME"
	c.Long = `docs kube prints the functions that scripts call as kube.NAME. With -o lua it is a
definition file for the Lua language server, also of params and of the functions that
scripts define; with -o cel it is what CEL knows of the same functions.`
	c.Example = `  dragoman docs kube
  dragoman docs kube -o lua > .lua/kube.lua`
	return c
}

func newDocsOperationsCommand(streams Streams) *cobra.Command {
	c := docsCommand(streams, []form{
		{"text", func(w io.Writer) error { return operationsText(w, engine.Operations()) }},
		{"json", func(w io.Writer) error { return writeJSON(w, operationEntries(engine.Operations())) }},
	})
	c.Use = "operations"
	c.Short = "Print the operations that a script can answer"
	return c
}

// form is a form of output, and what writes it.
type form struct {
	name  string
	write func(w io.Writer) error
}

// docsCommand makes a command that prints in one of the forms; the first is the
// default.
func docsCommand(streams Streams, forms []form) *cobra.Command {
	var names []string
	for _, f := range forms {
		names = append(names, f.name)
	}
	var output string
	c := &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			i := slices.IndexFunc(forms, func(f form) bool { return f.name == output })
			if i < 0 {
				return fmt.Errorf("output %q: want %s", output, either(names))
			}
			return forms[i].write(streams.Out)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", names[0], "form of the output: "+either(names))
	return c
}

// either lists words as a, b or c.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// wrapped breaks text into lines of at most 80 characters, each behind prefix and a
// space.
func wrapped(prefix, text string) string {
	var b strings.Builder
	line := prefix
	for _, word := range strings.Fields(text) {
		if line != prefix && len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}
