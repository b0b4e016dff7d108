// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/migrate"
	"github.com/dragoman-io/dragoman/engine/author/scaffold"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// migrateOptions are the flags of migrate.
type migrateOptions struct {
	streams      verb.Streams
	folder       string
	name         string
	cases        []string
	kinds        []string
	operations   []string
	parameters   []string
	allowChanges bool
}

func newMigrateCommand(streams verb.Streams) *cobra.Command {
	o := &migrateOptions{streams: streams}
	c := &cobra.Command{
		Use:   "migrate CUSTOMIZATIONS|BUNDLE",
		Short: "Turn customizations into a bundle, or a bundle into customizations",
		Long: `migrate writes the scripts of a file of ResourceInterpreterCustomizations as the folder of a bundle,
or prints those of the folder of a bundle as customizations.

Of customizations, a global that a script assigns becomes local. Their cases, files or folders by
--cases in the published form or that of bundles, become cases of the bundle. Of a bundle, a customization
has the modules that its scripts require and the values of its parameters.

What the other form cannot say is an error that names it: different scripts for versions of one kind,
related objects, rules for any kind. All cases are asked in both forms, and an answer that is not the same
is an error too, with file and line; then nothing is written. Scripts of customizations see numbers as
floats, do not answer that the health is unknown, and lose empty maps and lists of answers that the object
had not. --kind and --operation migrate a part; --allow-changes migrates all the same.

It exits 1 where something cannot be said, or an answer changes.`,
		Example: `  dragoman migrate flink-ric.yaml --cases ./tests --folder ./flink
  dragoman migrate ./flink --operation replicas --operation health > customizations.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.folder, "folder", "", "folder that is made for the bundle; by default one of its name")
	f.StringVar(&o.name, "name", "", "name of the bundle; by default that of the first customization")
	f.StringArrayVar(&o.cases, "cases", nil, "file or folder with cases of the customizations; can be repeated")
	f.StringArrayVar(&o.kinds, "kind", nil, "migrate scripts for this kind only; can be repeated")
	f.StringArrayVar(&o.operations, "operation", nil, "migrate scripts for this operation only; can be repeated")
	f.StringArrayVar(&o.parameters, "parameter", nil, "value of a parameter of the bundle, as [BUNDLE.]NAME=VALUE; can be repeated")
	f.BoolVar(&o.allowChanges, "allow-changes", false, "migrate though answers to cases change; stderr has which")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, nil)
	return c
}

func (o *migrateOptions) run(source string) error {
	of := migrate.Selection{Kinds: o.kinds}
	for _, name := range o.operations {
		op, err := engine.ParseOperation(name)
		if err != nil {
			return err
		}
		of.Operations = append(of.Operations, op.Name)
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	if verb.IsBundle(source) {
		err = o.toCustomizations(c, path.Clean(filepath.ToSlash(source)), of)
	} else {
		err = o.toBundle(c, source, of)
	}
	if errors.Is(err, migrate.ErrNothing) {
		return verb.Nothingf("%s: %v", filepath.ToSlash(source), err)
	}
	return err
}

// reportChanges returns the error of answers that change, and prints what is to be known.
func (o *migrateOptions) reportChanges(notes []string, compared int, changed []*migrate.AnswerError) error {
	printer := author.Printer{Out: o.streams.Err}
	for _, n := range notes {
		printer.Notes([]error{errors.New(n)})
	}
	var all []error
	for _, d := range changed {
		all = append(all, d)
	}
	switch {
	case len(changed) > 0 && o.allowChanges:
		printer.Notes(all)
	case len(changed) > 0:
		printer.Errors(errors.Join(all...))
		return verb.Exit(verb.ExitFound, "answers would change, and nothing is written; choose a part by --kind and --operation, or allow it by --allow-changes")
	}
	if compared == 0 {
		printer.Notes([]error{errors.New("no case was compared, so whether the answers are the same is not known; give cases by --cases")})
		return nil
	}
	fmt.Fprintf(o.streams.Err, "%d cases were asked in both forms, %d answers are other ones\n", compared, len(changed))
	return nil
}

// toCustomizations prints a bundle as customizations.
func (o *migrateOptions) toCustomizations(c *engine.Compiler, dir string, of migrate.Selection) error {
	if o.folder != "" || o.name != "" || len(o.cases) > 0 {
		return errors.New("--folder, --name and --cases are for customizations; a bundle has its cases, and is printed")
	}
	made, err := migrate.Customizations(c, verb.HostFS{}, dir, o.parameters, of)
	if err != nil {
		return o.asFinding(err)
	}
	if err := o.reportChanges(made.Notes, made.Compared, made.Changed); err != nil {
		return err
	}
	var documents [][]byte
	for _, object := range made.Objects {
		text, err := customizationText(object)
		if err != nil {
			return err
		}
		documents = append(documents, text)
	}
	_, err = o.streams.Out.Write(bytes.Join(documents, []byte("---\n")))
	return err
}

// asFinding returns the error of what the other form cannot say, which is a finding and not a failure to run.
func (o *migrateOptions) asFinding(err error) error {
	for _, e := range source.Flatten(err) {
		if _, ok := errors.AsType[*migrate.InexpressibleError](e); !ok && !source.IsFinding(e) {
			return err
		}
	}
	author.Printer{Out: o.streams.Err}.Errors(err)
	return verb.Exit(verb.ExitFound, "")
}

// customizationText returns a customization as kubectl apply takes it.
func customizationText(object *configv1alpha1.ResourceInterpreterCustomization) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	delete(m, "status")
	if metadata, ok := m["metadata"].(map[string]any); ok {
		delete(metadata, "creationTimestamp")
	}
	return printable.MarshalYAML(m)
}

// noBundleName matches what no name of a bundle has.
var noBundleName = regexp.MustCompile(`[^a-z0-9]+`)

// toBundle writes customizations as a bundle.
func (o *migrateOptions) toBundle(c *engine.Compiler, file string, of migrate.Selection) error {
	if len(o.parameters) > 0 {
		return errors.New("--parameter is for a bundle; customizations have no parameters")
	}
	name, data, err := o.streams.Read(file)
	if err != nil {
		return err
	}
	objects, err := customizationsIn(filepath.ToSlash(name), data)
	if err != nil {
		return err
	}
	if o.name == "" {
		o.name = strings.Trim(noBundleName.ReplaceAllString(strings.ToLower(objects[0].Name), "-"), "-")
	}
	if o.folder == "" {
		o.folder = o.name
	}
	all, err := o.readCases()
	if err != nil {
		return err
	}
	made, err := migrate.Bundle(c, o.name, objects, all, of)
	if err != nil {
		return o.asFinding(err)
	}
	if err := o.reportChanges(made.Notes, made.Compared, made.Changed); err != nil {
		return err
	}
	return writeDraft(o.streams, o.folder, &scaffold.Draft{Name: o.name, Files: made.Files})
}

// customizationsIn returns the customizations of a file, those of lists too.
func customizationsIn(name string, data []byte) ([]*configv1alpha1.ResourceInterpreterCustomization, error) {
	objects, err := source.Documents(name, data)
	if err != nil {
		return nil, err
	}
	var all []*configv1alpha1.ResourceInterpreterCustomization
	for _, d := range objects {
		if d.Object.GetKind() != "ResourceInterpreterCustomization" {
			return nil, fmt.Errorf("%s: want ResourceInterpreterCustomizations, got a %s; or name the folder of a bundle", name, d.Object.GetKind())
		}
		object := &configv1alpha1.ResourceInterpreterCustomization{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.Object.Object, object); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, d.Object.GetName(), err)
		}
		all = append(all, object)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no customization", name)
	}
	return all, nil
}

// readCases reads the cases of all files and folders.
func (o *migrateOptions) readCases() ([]*cases.Case, error) {
	var all []*cases.Case
	for _, p := range o.cases {
		count := len(all)
		files, err := caseFiles(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			found, err := cases.Read(nil, filepath.ToSlash(file), data)
			if err != nil {
				if found, err = cases.ReadPublished(filepath.ToSlash(file), data); err != nil {
					return nil, err
				}
			}
			all = append(all, found...)
		}
		if len(all) == count {
			return nil, fmt.Errorf("%s: there are no cases in it", filepath.ToSlash(p))
		}
	}
	return all, nil
}

// caseFiles returns a file, or the files below a folder that may hold cases.
func caseFiles(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	var all []string
	err = filepath.WalkDir(name, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && cases.IsCaseFile(file) {
			all = append(all, file)
		}
		return err
	})
	return all, err
}
