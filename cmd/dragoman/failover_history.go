// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/gather"
)

// historyOptions are the flags of failover history.
type historyOptions struct {
	streams    Streams
	namespace  string
	kubeconfig string
	file       string
	output     string
}

func newFailoverHistoryCommand(streams Streams) *cobra.Command {
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
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the control plane; empty means $KUBECONFIG or ~/.kube/config")
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
		return fmt.Errorf("read the history of %s: %w; remove the annotation if nothing else needs it", titleOf(b), err)
	}
	slices.Reverse(history)
	r := reportHistory(b, history)
	if o.output == "json" {
		err = writeJSON(o.streams.Out, r)
	} else {
		_, err = io.WriteString(o.streams.Out, r.text())
	}
	if err == nil && binding.HasRunningFailover(b) {
		return &exitError{code: exitFound}
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
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	plane, err := openReadOnlyPlane(o.kubeconfig, o.namespace)
	if err != nil {
		return nil, err
	}
	object, err := plane.object(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	return gather.Binding(ctx, plane.client, object)
}

// recordedBinding returns the one binding of the file.
func (o *historyOptions) recordedBinding() (workv1alpha2.Binding, error) {
	objects, err := o.streams.recorded(o.file)
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

// titleOf returns kind and name of the object of a binding, as in Deployment shop/web.
func titleOf(b workv1alpha2.Binding) string {
	r := &b.GetSpec().Resource
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)
}

// history is the result of the command.
type history struct {
	// Object is kind and name of the object.
	Object string `json:"object"`
	// Failovers are the newest first.
	Failovers []failedOver `json:"failovers"`
}

// failedOver is one failover.
type failedOver struct {
	Record binding.Record `json:"record"`
	// Seconds is how long each phase took that is known.
	Seconds map[binding.Phase]float64 `json:"seconds"`
	// Running is what a failover that has not ended waits for.
	Running string `json:"running,omitempty"`
}

func reportHistory(b workv1alpha2.Binding, records []binding.Record) history {
	h := history{Object: titleOf(b), Failovers: []failedOver{}}
	for _, r := range records {
		f := failedOver{Record: r, Seconds: map[binding.Phase]float64{}}
		for _, phase := range binding.Phases() {
			if took, known := r.Duration(phase); known {
				f.Seconds[phase] = took.Seconds()
			}
		}
		if r.IsOpen() {
			f.Running = r.Running()
		}
		h.Failovers = append(h.Failovers, f)
	}
	return h
}

// text returns the history for people.
func (h history) text() string {
	var out strings.Builder
	switch n := len(h.Failovers); n {
	case 0:
		return fmt.Sprintf("%s: no failover is on record\n", h.Object)
	case 1:
		fmt.Fprintf(&out, "%s: 1 failover\n", h.Object)
	default:
		fmt.Fprintf(&out, "%s: %d failovers, the newest first\n", h.Object, n)
	}
	for i := range h.Failovers {
		if f := &h.Failovers[i]; f.Running != "" {
			fmt.Fprintf(&out, "  the failover from %s %s\n", f.Record.From, f.Running)
		}
	}
	out.WriteString("\n")
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	columns := []string{"EVICTED", "FROM", "TO", "REASON", "PURGE", "OUTCOME"}
	for _, phase := range binding.Phases() {
		columns = append(columns, strings.ToUpper(string(phase)))
	}
	_, _ = fmt.Fprintln(table, strings.Join(append(columns, "STATE"), "\t"))
	for i := range h.Failovers {
		_, _ = fmt.Fprintln(table, strings.Join(rowOf(&h.Failovers[i].Record), "\t"))
	}
	_ = table.Flush()
	return out.String()
}

// rowOf returns the cells of a failover.
func rowOf(r *binding.Record) []string {
	outcome := string(r.Outcome)
	if r.IsOpen() {
		outcome = "Running"
	}
	row := []string{timeText(r.Evicted), r.From, strings.Join(r.To, ","), r.Reason, string(r.PurgeMode), outcome}
	for _, phase := range binding.Phases() {
		text := ""
		if took, known := r.Duration(phase); known {
			text = durationText(took)
		}
		row = append(row, text)
	}
	row = append(row, stateText(r))
	for i := range row {
		if row[i] == "" {
			row[i] = "-"
		}
	}
	return row
}

// stateText returns the state of a failover, with its time where that is before the
// eviction.
func stateText(r *binding.Record) string {
	if r.State == nil {
		return ""
	}
	parts := append(entries(r.State.Labels), entries(r.State.Values)...)
	text := strings.Join(parts, ", ")
	if r.State.Omitted > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s and %d more", text, r.State.Omitted), " and ")
	}
	if r.State.Time != nil && r.Evicted != nil && r.Evicted.Sub(r.State.Time.Time) >= time.Second {
		text += " (of " + timeText(r.State.Time) + ")"
	}
	return text
}

// entries returns key=value of each entry, sorted by key.
func entries(of map[string]string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		all = append(all, key+"="+of[key])
	}
	return all
}

func timeText(t *metav1.MicroTime) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// durationText returns a duration for people: milliseconds below ten seconds.
func durationText(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// writeJSON writes a value for programs.
func writeJSON(out io.Writer, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(raw, '\n'))
	return err
}
