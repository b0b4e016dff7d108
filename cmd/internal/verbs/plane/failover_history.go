// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/gather"
)

// historyOptions are the flags of failover history.
type historyOptions struct {
	streams    verb.Streams
	namespace  string
	kubeconfig string
	file       string
	output     string
}

func newFailoverHistoryCommand(streams verb.Streams) *cobra.Command {
	o := &historyOptions{streams: streams}
	c := &cobra.Command{
		Use:   "history [KIND/NAME] [-n NAMESPACE]",
		Short: "Show the last failovers of an object of the control plane",
		Long: `history shows the last failovers of an object, the newest first: from which cluster to
which, why, how the old copy was removed, how it ended, how long each phase took and
which state went along. The control plane keeps ten of them, or fewer with much state.

DETECT is from the first sight of the reason until the eviction, PLACE from there until
another cluster was chosen, EVICT until the old copy was gone, START from then until the
new copy was applied, and RECOVER until it was healthy. A dash means that a phase has not
ended, or that no manager saw its end.

KIND is what kubectl accepts, or that of the binding itself. With -f the binding is read
from a file, and no control plane is needed.

Exit codes: 0 no failover is under way; 1 one is; 2 usage, or the control plane could not
be read.`,
		Example: `  dragoman failover history deployment/web -n shop
  kubectl get rb web-deployment -n shop -o yaml | dragoman failover history -f -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object; empty means that of the kubeconfig's context")
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringVarP(&o.file, "filename", "f", "", "file with the binding, as kubectl prints it; - is stdin")
	f.StringVarP(&o.output, "output", "o", "text", "form of the result: text or json")
	return c
}

func (o *historyOptions) run(ctx context.Context, args []string) error {
	if !slices.Contains([]string{"text", "json"}, o.output) {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	b, err := o.binding(ctx, args)
	if err != nil {
		return err
	}
	history, err := binding.ParseHistory(b)
	if err != nil {
		return fmt.Errorf("read the history of %s: %w; remove the annotation if nothing else needs it", objectTitle(b), err)
	}
	slices.Reverse(history)
	r := reportHistory(b, history)
	if o.output == "json" {
		err = writeJSON(o.streams.Out, r)
	} else {
		_, err = io.WriteString(o.streams.Out, r.text())
	}
	if err == nil && binding.HasRunningFailover(b) {
		return verb.Exit(verb.ExitFound, "")
	}
	return err
}

// binding reads the binding of the object that is asked about.
func (o *historyOptions) binding(ctx context.Context, args []string) (workv1alpha2.Binding, error) {
	switch {
	case o.file != "" && len(args) > 0:
		return nil, errors.New("-f and KIND/NAME: want one of them")
	case o.file != "":
		return o.recordedBinding()
	case len(args) == 0:
		return nil, errors.New("want KIND/NAME, such as deployment/web, or -f with a file")
	}
	kind, name, ok := strings.Cut(args[0], "/")
	if !ok || kind == "" || name == "" {
		return nil, fmt.Errorf("object %q: want KIND/NAME, such as deployment/web", args[0])
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	plane, err := openReadOnlyPlane(o.kubeconfig, o.namespace)
	if err != nil {
		return nil, err
	}
	object, err := plane.readObject(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	return gather.Binding(ctx, plane.client, object)
}

// recordedBinding returns the one binding of the file.
func (o *historyOptions) recordedBinding() (workv1alpha2.Binding, error) {
	objects, err := readRecorded(o.streams, o.file)
	if err != nil {
		return nil, err
	}
	var all []workv1alpha2.Binding
	for _, object := range objects {
		b, is, err := gather.AsBinding(object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.file, err)
		}
		if is {
			all = append(all, b)
		}
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: want one ResourceBinding or ClusterResourceBinding of %s, got %d", o.file, workv1alpha2.GroupVersion, len(all))
	}
	return all[0], nil
}
