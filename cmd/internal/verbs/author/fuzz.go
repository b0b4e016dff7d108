// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/fuzz"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// maxFuzzRuns is how many objects of a kind are made at most.
const maxFuzzRuns = 1_000_000

// fuzzOptions are the flags of fuzz.
type fuzzOptions struct {
	streams verb.Streams
	bundle  string
	crds    []string
	kind    string
	seed    uint64
	runs    int
	write   bool
	output  string
}

func newFuzzCommand(streams verb.Streams) *cobra.Command {
	o := &fuzzOptions{streams: streams}
	c := &cobra.Command{
		Use:   "fuzz BUNDLE",
		Short: "Ask scripts about objects made from CRDs, to find errors and broken laws",
		Long: `fuzz makes objects that the schemas of CRDs allow, with some of the fields that they do not require,
and asks the scripts of a bundle all that they answer. An error that a script does not raise itself is a
finding, and so is a law that does not hold (dragoman docs laws). The rules in CEL of a schema are not looked
at. The CRDs are those in the folder crds of the
bundle, and those of --crd.

The same --seed makes the same objects on each machine, and finds the same. Each finding is shown once, with how
many objects have it, and one object that was made as small as it could be. With --write it becomes a case of
the bundle: that of an error fails until the script answers, and a person must say what; that of a law has the
answer of now, and dragoman test checks the law on it. A file that is there stays as it is.

It exits 1 with a finding, and 3 where no CRD is about a kind of the bundle. With -o json stdout is one object:
{seed, objects, answers, findings}, of which each is {kind, operation, law, message, run, times, object}.`,
		Example: `  dragoman fuzz ./flink
  dragoman fuzz ./cache --crd crd.yaml --seed 7 --runs 5000 --write`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.bundle = path.Clean(filepath.ToSlash(args[0]))
			return o.run()
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.crds, "crd", nil, "file with CRDs, - for stdin; can be repeated")
	f.StringVar(&o.kind, "kind", "", "make objects of this kind only; case does not matter")
	f.Uint64Var(&o.seed, "seed", 1, "what the objects are made from")
	f.IntVar(&o.runs, "runs", 300, "how many objects of each kind are made")
	f.BoolVar(&o.write, "write", false, "write a case for each finding")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: text or json")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, nil)
	return c
}

func (o *fuzzOptions) run() error {
	switch {
	case o.output != "text" && o.output != "json":
		return fmt.Errorf("output %q: want text or json", o.output)
	case o.runs < 1 || o.runs > maxFuzzRuns:
		return fmt.Errorf("runs %d: want a number from 1 to %d", o.runs, maxFuzzRuns)
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	b, err := bundle.Loader{Compiler: c}.Load(verb.HostFS{}, o.bundle, nil)
	if err != nil {
		return err
	}
	definitions, err := o.definitions()
	if err != nil {
		return err
	}
	kinds, without := fuzz.KindsOf(definitions, b.Kinds, o.kind)
	if len(kinds) == 0 {
		return verb.Nothingf("%s: no CRD has a schema of one of its kinds; put the CRDs into %s, or name them by --crd", o.bundle, path.Join(o.bundle, bundle.CRDsDir))
	}
	for _, k := range without {
		author.Printer{Out: o.streams.Err}.Notes([]error{fmt.Errorf("no CRD has a schema of %s %s: no object of it was made", k.GroupVersion(), k.Kind)})
	}
	return o.findAndReport(c, fuzz.Options{Bundle: b, Kinds: kinds, Seed: o.seed, Runs: o.runs})
}

// findAndReport runs the scripts, and prints and writes what is found.
func (o *fuzzOptions) findAndReport(c *engine.Compiler, options fuzz.Options) error {
	report, err := fuzz.Run(options)
	if err != nil {
		return err
	}
	if err := o.report(report); err != nil {
		return err
	}
	if o.write {
		if err := o.writeCases(c, report); err != nil {
			return err
		}
	}
	switch {
	case len(report.Findings) > 0:
		return verb.Exit(verb.ExitFound, "")
	case report.Answers == 0:
		return verb.Exit(verb.ExitNothing, "the scripts answered nothing about the objects")
	}
	return nil
}

// definitions returns the CRDs of the bundle and those that flags name.
func (o *fuzzOptions) definitions() ([]*unstructured.Unstructured, error) {
	if err := verb.OnceStdin(o.crds); err != nil {
		return nil, err
	}
	all, err := definitionsBelow(path.Join(o.bundle, bundle.CRDsDir))
	if err != nil {
		return nil, err
	}
	for _, file := range o.crds {
		name, data, err := o.streams.Read(file)
		if err != nil {
			return nil, err
		}
		found, err := crdsOf(filepath.ToSlash(name), data)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("%s: there is no CRD in it", filepath.ToSlash(name))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// report prints what was found.
func (o *fuzzOptions) report(r *fuzz.Report) error {
	if o.output == "json" {
		encoder := json.NewEncoder(o.streams.Out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	for _, f := range r.Findings {
		object, err := json.Marshal(f.Object.Object)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%s of %s", f.Operation, f.Kind)
		if f.Law != "" {
			what = fmt.Sprintf("law %q of %s", f.Law, f.Kind)
		}
		if _, err := fmt.Fprintf(o.streams.Out, "FAIL %s, %d of the objects\n     %s\n     %s\n", what, f.Times, f.Message, object); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(o.streams.Out, "%d objects, %d answers, %d findings, seed %d\n", r.Objects, r.Answers, len(r.Findings), r.Seed)
	return err
}

// writeCases writes a case for each finding that has no file yet.
func (o *fuzzOptions) writeCases(c *engine.Compiler, r *fuzz.Report) error {
	texts := map[string][]byte{}
	for _, f := range r.Findings {
		file := path.Join(o.bundle, f.File())
		if _, err := os.Lstat(filepath.FromSlash(file)); err == nil {
			author.Printer{Out: o.streams.Err}.Notes([]error{fmt.Errorf("%s is there already and stays as it is", file)})
			continue
		}
		text, err := f.Case(c, verb.HostFS{}, o.bundle, r.Seed)
		if err != nil {
			return err
		}
		texts[file] = text
	}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if err := os.MkdirAll(filepath.FromSlash(path.Dir(file)), 0o755); err != nil {
			return err
		}
		if err := verb.WriteFile(filepath.FromSlash(file), texts[file], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(o.streams.Err, "wrote", file)
	}
	return nil
}
