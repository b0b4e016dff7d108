// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// statusOptions are the flags of status.
type statusOptions struct {
	streams    verb.Streams
	kubeconfig string
	output     string
}

func newStatusCommand(streams verb.Streams) *cobra.Command {
	o := &statusOptions{streams: streams}
	c := &cobra.Command{
		Use:   "status [NAME]",
		Short: "Show which ScriptBundles are active, and why others are not",
		Long: `status lists the ScriptBundles of a control plane. Of one that is named it shows the stages that
its revision has passed, or where it is wrong, with file and line; which revisions were active; and
in the mode Shadow what the new revision would change.

A registry that is away changes nothing where what the spec names was fetched before, and is refused
where it was not.

Exit codes: 0 all is as the specs say; 1 a revision was refused, could not be fetched or waits; 2 usage,
or the control plane could not be read; 3 there is no ScriptBundle.`,
		Example: `  dragoman status
  dragoman status flink`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	f := c.Flags()
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringVarP(&o.output, "output", "o", "text", "form of the output: text or json")
	return c
}

func (o *statusOptions) run(ctx context.Context, args []string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	p, err := openReadOnlyPlane(o.kubeconfig, "")
	if err != nil {
		return err
	}
	all := []interpreterv1alpha1.ScriptBundle{}
	if len(args) == 1 {
		b, err := p.readBundle(ctx, args[0])
		if err != nil {
			return err
		}
		all = append(all, *b)
	} else {
		var list interpreterv1alpha1.ScriptBundleList
		if err := p.client.List(ctx, &list); err != nil {
			return adviseCRDs(fmt.Errorf("list the ScriptBundles: %w", err))
		}
		all = append(all, list.Items...)
	}
	if err := o.print(all, len(args) == 1); err != nil {
		return err
	}
	return verdictOf(all)
}

// verdictOf returns the error of ScriptBundles that are not as their specs say.
func verdictOf(all []interpreterv1alpha1.ScriptBundle) error {
	if len(all) == 0 {
		return verb.Exit(verb.ExitNothing, "there is no ScriptBundle; dragoman activate makes one")
	}
	if slices.ContainsFunc(all, func(b interpreterv1alpha1.ScriptBundle) bool { return !outcomeOf(&b, "").done }) {
		return verb.Exit(verb.ExitFound, "")
	}
	return nil
}

func (o *statusOptions) print(all []interpreterv1alpha1.ScriptBundle, details bool) error {
	switch {
	case o.output == "json":
		text, err := json.MarshalIndent(map[string]any{"scriptBundles": all}, "", "  ")
		if err != nil {
			return err
		}
		_, err = o.streams.Out.Write(append(text, '\n'))
		return err
	case details:
		_, err := fmt.Fprint(o.streams.Out, bundleDetails(&all[0], outcomeOf(&all[0], ""), time.Now()))
		return err
	case len(all) == 0:
		return nil
	}
	w := tabwriter.NewWriter(o.streams.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tMODE\tVERSION\tREVISION\tSINCE\tSTATE")
	for i := range all {
		b := &all[i]
		version, since := "-", "-"
		if a := b.Status.Active; a != nil {
			version, since = cmp.Or(a.Version, "-"), ageOf(a.Since, time.Now())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", b.Name, b.Spec.Mode, version, shortRevision(b.Status.Active), since, bundleState(b, outcomeOf(b, "")))
	}
	return w.Flush()
}

// bundleState returns the state of a ScriptBundle in a few words.
func bundleState(b *interpreterv1alpha1.ScriptBundle, o outcome) string {
	if o.refusal != "" {
		line, _, _ := strings.Cut(o.refusal, "\n")
		return "refused: " + clipText(line, 100)
	}
	switch {
	case !o.done:
		return "waits"
	case b.Spec.Mode == interpreterv1alpha1.ModeShadow:
		return "evaluated"
	case b.Spec.Revision != "":
		return "active, kept"
	}
	return "active"
}

func clipText(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}

// bundleDetails returns all about a ScriptBundle.
func bundleDetails(b *interpreterv1alpha1.ScriptBundle, o outcome, now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", b.Name, bundleState(b, o))
	fmt.Fprintf(&out, "  source    %s\n", sourceName(b))
	if b.Spec.Revision != "" {
		fmt.Fprintf(&out, "  kept      %.12s, whatever the source has; dragoman promote %s follows it again\n", b.Spec.Revision, b.Name)
	}
	for _, name := range []string{
		interpreterv1alpha1.ConditionFetched, interpreterv1alpha1.ConditionVerified, interpreterv1alpha1.ConditionCompiled, interpreterv1alpha1.ConditionChecked,
		interpreterv1alpha1.ConditionSmokeTested, interpreterv1alpha1.ConditionShadowed, interpreterv1alpha1.ConditionActive,
	} {
		if c := meta.FindStatusCondition(b.Status.Conditions, name); c != nil {
			fmt.Fprintf(&out, "  %-11s %-7s %s\n", c.Type, strings.ToLower(string(c.Status)), strings.ReplaceAll(c.Message, "\n", "\n"+strings.Repeat(" ", 22)))
		}
	}
	for i := range b.Status.History {
		r := &b.Status.History[i]
		line := fmt.Sprintf("  history   %s  %s  since %s ago", shortRevision(r), cmp.Or(r.Version, "-"), ageOf(r.Since, now))
		if r.SignedBy != "" {
			line += ", signed by " + r.SignedBy
		}
		fmt.Fprintln(&out, line)
	}
	if b.Status.Shadow != nil {
		writeShadowReport(&out, b.Status.Shadow)
	}
	return out.String()
}

// sourceName names the source of a ScriptBundle.
func sourceName(b *interpreterv1alpha1.ScriptBundle) string {
	switch s := b.Spec.Source; {
	case s.OCI != nil:
		return s.OCI.Reference
	case s.ConfigMap != nil:
		return "ConfigMap " + s.ConfigMap.Namespace + "/" + s.ConfigMap.Name
	}
	return "in the ScriptBundle"
}

// writeShadowReport writes what a revision would change.
func writeShadowReport(out *strings.Builder, s *interpreterv1alpha1.ShadowReport) {
	fmt.Fprintf(out, "  what revision %.12s would change:\n", s.Revision)
	switch {
	case s.Objects == 0:
		fmt.Fprintln(out, "    nothing was asked: the control plane propagates no object of its kinds")
	case len(s.Effects)+len(s.Changes) == 0:
		fmt.Fprintf(out, "    nothing, in %d answers about %d objects\n", s.Asked, s.Objects)
	}
	for _, text := range s.Effects {
		fmt.Fprintf(out, "    %s\n", text)
	}
	for _, c := range s.Changes {
		fmt.Fprintf(out, "    %s of %s: %s, %d of them\n", c.Operation, c.Kind, c.What, c.Count)
		if c.Example != "" {
			fmt.Fprintf(out, "      %s\n", c.Example)
		}
		for _, o := range c.Objects[:min(2, len(c.Objects))] {
			fmt.Fprintf(out, "      at %s\n", o)
		}
	}
}

// ageOf returns how long ago a time was.
func ageOf(t metav1.Time, now time.Time) string { return duration.HumanDuration(now.Sub(t.Time)) }
