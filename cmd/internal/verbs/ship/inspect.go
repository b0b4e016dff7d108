// SPDX-License-Identifier: Apache-2.0

package ship

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/archive"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
)

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	streams  verb.Streams
	registry shipped.Registry
	output   string
}

// inspection is what a bundle ships; its JSON form is that of inspect -o json.
type inspection struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// Digest is that of the archive, Reference that of the artifact in a registry, by digest.
	Digest    string `json:"digest"`
	Reference string `json:"reference,omitempty"`
	// Revision is how the control plane names the files.
	Revision string `json:"revision"`
	// Manifest is bundle.yaml as JSON.
	Manifest json.RawMessage `json:"manifest"`
	// Keys are the ids of the keys that are said to have signed it.
	Keys       []string             `json:"keys"`
	Kinds      []inspectedKind      `json:"kinds"`
	Answers    []inspectedAnswer    `json:"answers"`
	Parameters []inspectedParameter `json:"parameters"`
	Files      []inspectedFile      `json:"files"`
}

type inspectedKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type inspectedAnswer struct {
	Kinds     []string `json:"kinds"`
	Operation string   `json:"operation"`
	File      string   `json:"file"`
	Function  string   `json:"function,omitempty"`
}

type inspectedParameter struct {
	Name        string   `json:"name"`
	Default     string   `json:"default"`
	Values      []string `json:"values,omitempty"`
	Description string   `json:"description,omitempty"`
}

type inspectedFile struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

func newInspectCommand(streams verb.Streams) *cobra.Command {
	o := &inspectOptions{streams: streams}
	c := &cobra.Command{
		Use:   "inspect FOLDER|FILE|REFERENCE",
		Short: "Show what a bundle ships: scripts, files, digest and signatures",
		Long: `inspect shows what is in a bundle: that of a folder as dragoman build would ship it, that of an
archive, or that of a registry. No script is compiled, and no signature is verified: the keys
are those that are said to have signed; see dragoman verify.

What is there as a file or a folder is not looked for in a registry; oci:// before a
reference says that it is one.

` + shipped.RegistryHelp + `

With -o json stdout is one object: name, version, description, digest (of the archive),
reference (by digest, in a registry), revision (of the files, as the control plane names
it), manifest (bundle.yaml), keys, kinds, answers ({kinds, operation, file, function}),
parameters, files ({path, size}).`,
		Example: `  dragoman inspect ./flink
  dragoman inspect registry.example.com/acme/flink:1.4.0 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "text", "form of the output: text or json")
	o.registry.AddFlags(f)
	return c
}

func (o *inspectOptions) run(ctx context.Context, arg string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	if err := o.registry.Check(); err != nil {
		return err
	}
	s, err := o.find(ctx, arg)
	if err != nil {
		return err
	}
	found, err := inspectShipped(s)
	if err != nil {
		return err
	}
	text := found.text()
	if o.output == "json" {
		if text, err = verb.Encode(o.output, found); err != nil {
			return err
		}
	}
	_, err = o.streams.Out.Write(text)
	return err
}

// find returns what the argument names.
func (o *inspectOptions) find(ctx context.Context, arg string) (*shipped.Bundle, error) {
	form, err := shipped.FormOf(arg)
	switch {
	case err != nil:
		return nil, err
	case form == shipped.Reference:
		return o.registry.Pull(ctx, arg)
	case form == shipped.File:
		return shipped.ReadFile(arg)
	}
	dir := filepath.ToSlash(filepath.Clean(arg))
	if _, err := bundle.ReadOutline(verb.Disk{}, dir); err != nil {
		return nil, err
	}
	a, err := archive.Build(verb.Disk{}, dir)
	return &shipped.Bundle{Where: dir, Archive: a}, err
}

// text returns the form for people.
func (i *inspection) text() []byte {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	row := func(name string, values ...string) {
		for _, value := range values {
			if value != "" {
				fmt.Fprintf(w, "%s\t%s\n", name, printable.Line(value))
			}
		}
	}
	row("name", i.Name)
	row("version", i.Version)
	row("description", i.Description)
	row("digest", i.Digest)
	row("reference", i.Reference)
	row("revision", i.Revision)
	row("signed by", i.Keys...)
	if len(i.Keys) == 0 {
		row("signed by", "none")
	}
	fmt.Fprintln(w, "\nKIND\tOPERATION\tSCRIPT")
	for _, kind := range i.Kinds {
		for _, a := range i.Answers {
			if slices.Contains(a.Kinds, kind.Kind) {
				fmt.Fprintf(w, "%s\t%s\t%s\n", printable.Line(kind.String()), a.Operation, printable.Line(a.String()))
			}
		}
	}
	if len(i.Parameters) > 0 {
		fmt.Fprintln(w, "\nPARAMETER\tDEFAULT\tVALUES")
	}
	for _, p := range i.Parameters {
		fmt.Fprintf(w, "%s\t%s\t%s\n", printable.Line(p.Name), printable.Line(p.Default), printable.Line(strings.Join(p.Values, ", ")))
	}
	fmt.Fprintln(w, "\nFILE\tBYTES")
	total := 0
	for _, f := range i.Files {
		fmt.Fprintf(w, "%s\t%d\n", printable.Line(f.Path), f.Size)
		total += f.Size
	}
	fmt.Fprintf(w, "%d files\t%d\n", len(i.Files), total)
	_ = w.Flush() // into memory
	return trimLines(out.Bytes())
}

// trimLines takes the spaces from the ends of lines.
func trimLines(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		lines[i] = bytes.TrimRight(line, " ")
	}
	return bytes.Join(lines, []byte("\n"))
}

// String returns the kind with its group and version.
func (k inspectedKind) String() string {
	if k.Group == "" {
		return k.Version + " " + k.Kind
	}
	return k.Group + "/" + k.Version + " " + k.Kind
}

// String returns the file, with the function of a module.
func (a inspectedAnswer) String() string {
	if a.Function == "" {
		return a.File
	}
	return a.File + " " + a.Function
}

// inspectShipped returns what a bundle ships.
func inspectShipped(s *shipped.Bundle) (*inspection, error) {
	outline, err := s.Outline()
	if err != nil {
		return nil, err
	}
	revision, err := bundle.Revision(s.Archive.FS("."), ".")
	if err != nil {
		return nil, err
	}
	manifest, err := oci.Config(s.Archive)
	if err != nil {
		return nil, shipped.FoundIn(s.Where, err)
	}
	found := &inspection{
		Manifest: manifest, Name: outline.Name, Version: outline.Version, Description: outline.Description,
		Digest: s.Archive.Digest, Reference: s.Reference, Revision: revision, Keys: s.Keys(),
		Parameters: []inspectedParameter{},
	}
	for _, k := range outline.Kinds {
		found.Kinds = append(found.Kinds, inspectedKind(k))
	}
	for _, a := range outline.Answers {
		found.Answers = append(found.Answers, inspectedAnswer(a))
	}
	for _, p := range outline.Parameters {
		found.Parameters = append(found.Parameters, inspectedParameter{p.Name, p.Default, p.Values, p.Description})
	}
	for _, f := range s.Archive.Files {
		found.Files = append(found.Files, inspectedFile{f.Path, len(f.Data)})
	}
	return found, nil
}
