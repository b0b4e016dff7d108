// SPDX-License-Identifier: Apache-2.0

package author

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	streams       verb.Streams
	object        string
	operation     string
	customization string
	bundles       []string
	kind          string
	name          string
	namespace     string
	observed      string
	items         string
	replicas      int64
	division      string
	state         verb.State
	related       string
	crd           string
	generic       bool
	failover      bool
	parameters    []string
	output        string
	print         bool
	recorder      evalRecorder
	// known are the interpreters so far, by the kind that they were made for; that of
	// customizations is under no kind.
	known map[schema.GroupVersionKind]*engine.Interpreter
	// given holds the flags that the user set.
	given func(flag string) bool
}

func newEvalCommand(streams verb.Streams) *cobra.Command {
	o := &evalOptions{streams: streams}
	c := &cobra.Command{
		Use:   "eval -f OBJECT --operation OPERATION",
		Short: "Ask one question about objects",
		Long: `eval asks one question about each object of a file and prints the answer. Without
--customization and --bundle the bundles of this program answer.

A file may have several documents, and lists of objects; --kind and --name choose among
them. The answer about one object is its results by name. About several it is, as YAML
documents or as a list in JSON, {object, answer}: which object, and its results. Objects
that no script answers are named on stderr then.

An operation also has the name of its script in a bundle, of its field in a customization
and of its function: health, healthInterpretation and InterpretHealth are the same. The
flags of karmadactl interpret --desired-file, --observed-file, --status-file and
--desired-replica are -f, --observed, --items and --replicas; without -f the observed
object is the one that is asked about.

--trace shows on stderr what the script did: each line that ran, in order, with the values of the
variables that changed on it, what conditions found and what was returned; of an expression in
CEL, each part with its value. A line that calls a function of the script comes again after it
where something changed. Long values are cut, and --trace-steps bounds the lines. --profile shows
the gas of each line, without the functions that it calls, and --profile-out writes it for
go tool pprof. With -o json they are the fields trace {steps, left} and profile {gas, other,
lines} of the answer, unless it failed.

With -o diff an operation that returns the object shows what it changes of it, and nothing where that is
nothing.

The operations:
` + operationHelp(),
		Example: `  dragoman eval -f deployment.yaml --operation InterpretHealth
  dragoman eval -f desired.yaml --observed observed.yaml --operation Retain
  dragoman eval -f desired.yaml --observed observed.yaml --operation Retain -o diff
  dragoman eval -f sample.yaml --kind Kafka --operation health --bundle ./strimzi --bundle ./mine
  dragoman eval -f deployment.yaml --operation health --trace
  dragoman eval -f flink.yaml --operation components --profile --sort gas --profile-out gas.pprof
  dragoman eval -f flink.yaml --operation InterpretComponent --bundle ./flink --parameter memoryUnits=quantity`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("eval takes no argument %q; name the file with the object by -f", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			o.given = c.Flags().Changed
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVarP(&o.object, "filename", "f", "", verb.InputUsage("objects")+"; for Retain and RestoreState the desired ones")
	f.StringVar(&o.operation, "operation", "", "the question; case does not matter")
	f.StringVar(&o.kind, "kind", "", "ask about objects of this kind only; case does not matter")
	f.StringVar(&o.name, "name", "", "ask about objects of this name only")
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of objects that have none; by default only where the answer is not the object")
	f.StringVar(&o.customization, "customization", "", verb.InputUsage("ResourceInterpreterCustomizations")+"; they alone answer")
	f.StringArrayVar(&o.bundles, "bundle", nil, "folder of a bundle; it alone answers, or with others; can be repeated")
	f.StringVar(&o.observed, "observed", "", "file with the observed object, for "+verb.OperationsWith(engine.ObservedParam))
	f.StringVar(&o.items, "items", "", "file with the status items, for "+verb.OperationsWith(engine.ItemsParam))
	f.Int64Var(&o.replicas, "replicas", 0, "number of replicas, for "+verb.OperationsWith(engine.CountParam))
	f.StringVar(&o.division, "division", "", "file with how replicas are divided among clusters, for "+verb.OperationsWith(engine.DivisionParam))
	verb.AddStateFlag(f, &o.state)
	f.StringVar(&o.related, "related", "", "file with objects that a bundle declares as related, for "+verb.OperationsWith(engine.RelatedParam)+"; others of their kinds are left out")
	f.BoolVar(&o.generic, "generic", true, "the generic rules answer where no script of this program is about the kind; stderr says so")
	f.StringVar(&o.crd, "crd", "", "file with the CRD of the object's kind, whose scale subresource is where the generic rules find replicas")
	f.BoolVar(&o.failover, "failover", false, "the policy moves the object where it is unhealthy, for "+verb.OperationsWith(engine.FailoverParam))
	f.StringArrayVar(&o.parameters, "parameter", nil, verb.ParameterUsage)
	f.StringVarP(&o.output, "output", "o", "yaml", "form of the answer: yaml, json, or diff for "+changing())
	f.BoolVar(&o.print, "print", true, "show on stderr what the script prints, with file and line")
	o.recorder.setFlags(c)
	c.MarkFlagsMutuallyExclusive("customization", "bundle")
	c.MarkFlagsMutuallyExclusive("customization", "parameter")
	c.MarkFlagsMutuallyExclusive("customization", "bundle", "crd")
	_ = c.MarkFlagRequired("operation")
	_ = c.RegisterFlagCompletionFunc("output", verb.CompleteValues(evalOutputs...))
	f.SetNormalizeFunc(publishedNames)
	return c
}

// publishedNames are the flags of karmadactl interpret.
func publishedNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	names := map[string]string{"desired-file": "filename", "observed-file": "observed", "status-file": "items", "desired-replica": "replicas"}
	return pflag.NormalizedName(cmp.Or(names[name], name))
}

// operationHelp lists the operations, a line each.
func operationHelp() string {
	var b strings.Builder
	for _, op := range engine.Operations() {
		fmt.Fprintf(&b, "  %-20s %s\n", op.Name, op.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (o *evalOptions) run() error {
	if !slices.Contains(evalOutputs, o.output) {
		return fmt.Errorf("output %q: want yaml, json or diff", o.output)
	}
	if err := o.recorder.check(o.given); err != nil {
		return err
	}
	op, err := engine.ParseOperation(o.operation)
	if err != nil {
		return err
	}
	if o.output == "diff" && !op.Patch {
		return fmt.Errorf("output diff: %s returns no object; yaml and json show its answer, and diff that of %s", op.Name, changing())
	}
	questions, err := o.questions(op)
	if err != nil {
		return err
	}
	if len(questions) > 1 {
		return o.runAll(op, questions)
	}
	answer, err := o.ask(op, questions[0])
	if err != nil {
		return errors.Join(err, o.recorder.write())
	}
	if o.output == "json" {
		o.recorder.addTo(answer)
	}
	text, err := o.encode(op, questions[0], answer)
	if err != nil {
		return err
	}
	if _, err = o.streams.Out.Write(text); err != nil {
		return err
	}
	if o.output != "json" {
		o.recorder.print(o.streams.Err, questions[0])
	}
	return o.recorder.write()
}

// ask returns the results of one request by name.
func (o *evalOptions) ask(op engine.Operation, q engine.Request) (map[string]any, error) {
	kind := q.Object.GroupVersionKind()
	interpreter, err := o.interpreter(kind)
	if err != nil {
		return nil, err
	}
	rules := interpreter.Snapshot()
	o.recorder.startRun()
	answer, err := rules.Evaluate(q)
	if errors.Is(err, engine.ErrNoRule) {
		return nil, o.noScript(rules, kind, op.Name)
	}
	o.recorder.endRun()
	if err != nil {
		o.recorder.print(o.streams.Err, q)
		return nil, err
	}
	o.noteGeneric(rules, kind, op.Name)
	return op.Named(answer), nil
}

// interpreter returns an interpreter with the rules that the flags name, at least those
// for a kind.
func (o *evalOptions) interpreter(kind schema.GroupVersionKind) (*engine.Interpreter, error) {
	of := kind
	if o.customization != "" {
		// They answer for all kinds, and are read once.
		of = schema.GroupVersionKind{}
	}
	if i, known := o.known[of]; known {
		return i, nil
	}
	i, err := o.newInterpreter(kind)
	if err != nil {
		return nil, err
	}
	if o.known == nil {
		o.known = map[schema.GroupVersionKind]*engine.Interpreter{}
	}
	o.known[of] = i
	return i, nil
}

func (o *evalOptions) newInterpreter(kind schema.GroupVersionKind) (*engine.Interpreter, error) {
	options := engine.Options{}
	if o.print {
		options.Print = func(at script.Position, line string) { fmt.Fprintf(o.streams.Err, "%s: %s\n", at, line) }
	}
	i := engine.NewInterpreter(options)
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	if o.customization != "" {
		return i, o.setCustomizations(c, i)
	}
	loader := bundle.Loader{Compiler: c, Recording: o.recorder.recording()}
	bundles, err := verb.LoadBundles(loader, o.bundles, kind)
	if err != nil {
		return nil, err
	}
	if o.genericApplies(bundles, kind) {
		if err := verb.WithGeneric(loader, bundles); err != nil {
			return nil, err
		}
	}
	if bundles, err = bundle.Choose(bundles, o.parameters); err != nil {
		return nil, err
	}
	for _, b := range bundles {
		if err := i.Set(engine.Embedded, b.Source); err != nil {
			return nil, err
		}
	}
	return i, o.divideByCRD(i, bundles, kind)
}
