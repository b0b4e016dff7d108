// SPDX-License-Identifier: Apache-2.0

package author

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// recordOptions are the flags of record.
type recordOptions struct {
	streams    verb.Streams
	live       verb.ReadLive
	bundle     string
	object     string
	kind       string
	of         string
	namespace  string
	kubeconfig string
	operations []string
	name       string
	file       string
	failing    bool
}

func newRecordCommand(streams verb.Streams, live verb.ReadLive) *cobra.Command {
	o := &recordOptions{streams: streams, live: live}
	c := &cobra.Command{
		Use:   "record BUNDLE {-f FILE | KIND NAME}",
		Short: "Write cases from a live object and what scripts answer about it",
		Long: `record asks the scripts of a bundle all that they answer about one object, of a file or of a
cluster, and writes a file of cases with the answers. Each case has a comment that it needs review:
an answer is what the script said, not what is right.

Out of the object go managedFields and the last applied configuration. Values are replaced by
"redacted": the data of Secrets, variables, settings and fields with names of secrets, arguments such
as --password and -p, assignments in scripts and files, and texts that look like a key, a token or a
URL with a password. Stderr names each. Read the file all the same: what has no usual name or form is
not found.

The file is BUNDLE/KIND/testdata/recorded-NAME.yaml unless --file names another, - for stdout. One that
is there is never written over. Stdout names the file. ReviseReplica is asked for one replica more than
the scripts count, Retain with the object as observed, AggregateStatus with what they report of it from
one cluster, RestoreState with the state that it leaves. Stderr says what cannot be asked.

It exits 1, and writes nothing, where a script fails, unless --failing records the error as
what is expected; 3 where the bundle answers nothing about the object.`,
		Example: `  dragoman record ./flink -f live.yaml
  dragoman record ./flink flinkdeployment ledger -n payments
  kubectl get kafka main -o yaml | dragoman record ./strimzi -f - --operation health --name "main at noon"`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.parseArgs(args); err != nil {
				return err
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVarP(&o.object, "filename", "f", "", verb.InputUsage("the object"))
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object in the cluster; empty means that of the kubeconfig's context")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster; empty means $KUBECONFIG or ~/.kube/config")
	f.StringArrayVar(&o.operations, "operation", nil, "record the answer to this operation only; can be repeated")
	f.StringVar(&o.name, "name", "", "how the names of the cases begin; by default with that of the object")
	f.StringVar(&o.file, "file", "", "file to write, which must not be there; - is stdout")
	f.BoolVar(&o.failing, "failing", false, "record the errors of scripts that fail too")
	c.ValidArgsFunction = verb.CompleteArguments(verb.CompleteBundles, verb.CompleteKinds, verb.CompleteNothing)
	return c
}

// parseArgs reads the arguments.
func (o *recordOptions) parseArgs(args []string) error {
	o.bundle = args[0]
	if len(args) == 2 {
		kind, name, both := strings.Cut(args[1], "/")
		if !both {
			return fmt.Errorf("object %q: want KIND NAME or KIND/NAME", args[1])
		}
		args = []string{args[0], kind, name}
	}
	switch {
	case len(args) == 3 && o.object != "":
		return errors.New("name an object of the cluster or a file by -f, not both")
	case len(args) == 3 && (args[1] == "" || args[2] == ""):
		return errors.New("want KIND NAME, such as deployment web")
	case len(args) == 3:
		o.kind, o.of = args[1], args[2]
	case o.object == "":
		return errors.New("name the file with the object by -f, or an object of the cluster by KIND NAME")
	}
	return nil
}

func (o *recordOptions) run(ctx context.Context) error {
	var asked []engine.Op
	for _, name := range o.operations {
		op, err := engine.ParseOperation(name)
		if err != nil {
			return err
		}
		asked = append(asked, op.Name)
	}
	object, err := o.read(ctx)
	if err != nil {
		return err
	}
	file := o.targetFile(object)
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already: name another file by --file", filepath.ToSlash(file))
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	object, redacted := author.Redact(object)
	recorded, err := author.RecordCases(c, verb.HostFS{}, path.Clean(filepath.ToSlash(o.bundle)), author.RecordOptions{
		Object: object, Name: o.name, Operations: asked, Failing: o.failing,
	})
	switch {
	case errors.Is(err, author.ErrNothingRecorded):
		return verb.Nothingf("%s: it answers nothing about %s %s", filepath.ToSlash(o.bundle), object.GroupVersionKind().GroupVersion(), object.GetKind())
	case err != nil:
		return err
	}
	if err := o.write(file, recorded.Text); err != nil {
		return err
	}
	for _, p := range redacted {
		fmt.Fprintf(o.streams.Err, "redacted: %s\n", p)
	}
	for _, u := range recorded.Unasked {
		fmt.Fprintf(o.streams.Err, "%s: not asked: %s\n", u.Operation, u.Reason)
	}
	fmt.Fprintf(o.streams.Err, "%d cases: read each, also for secrets that were not found, and delete its comment\n", len(recorded.Cases))
	return nil
}

// read returns the object, of the file or of the cluster.
func (o *recordOptions) read(ctx context.Context) (*unstructured.Unstructured, error) {
	if o.object == "" {
		return o.live(ctx, verb.LiveObject{Kubeconfig: o.kubeconfig, Namespace: o.namespace, Kind: o.kind, Name: o.of})
	}
	d, err := o.streams.Document(o.object)
	return d.Object, err
}

// noFileName matches what no name of a file gets.
var noFileName = regexp.MustCompile(`[^a-z0-9.-]+`)

// targetFile returns the file to write.
func (o *recordOptions) targetFile(object *unstructured.Unstructured) string {
	if o.file != "" {
		return o.file
	}
	name := strings.Trim(noFileName.ReplaceAllString(strings.ToLower(object.GetName()), "-"), ".-")
	if o.name != "" {
		name = strings.Trim(noFileName.ReplaceAllString(strings.ToLower(o.name), "-"), ".-")
	}
	return filepath.Join(o.bundle, object.GetKind(), bundle.CasesDir, "recorded-"+name+".yaml")
}

// write makes the file, which must not be there.
func (o *recordOptions) write(file string, text []byte) error {
	if file == "-" {
		return o.streams.WriteYAML(text)
	}
	if o.file == "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: name another file by --file", filepath.ToSlash(file))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	_, err = fmt.Fprintln(o.streams.Out, filepath.ToSlash(file))
	return err
}
