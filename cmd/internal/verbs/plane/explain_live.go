// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/decide/explain"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/shadow"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/provenance"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// runLive explains an object of a control plane.
func (o *explainOptions) runLive(ctx context.Context, kind, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	open := openPlane
	if o.scripts {
		open = openReadOnlyPlane
	}
	plane, err := open(o.kubeconfig, o.namespace)
	if err != nil {
		return err
	}
	in, err := plane.readInput(ctx, kind, name)
	if err != nil {
		return err
	}
	if o.scripts && in.Gone {
		return fmt.Errorf("%s %s does not exist; without --scripts, explain shows what is left of it", in.Template.GetKind(), name)
	}
	if o.scripts {
		return o.explainScripts(ctx, plane, in)
	}
	if in.Generic, err = isUnknown(in.Template.GroupVersionKind()); err != nil {
		return err
	}
	in.MemberStatus = o.memberStatus
	chain := explain.Explain(in)
	if err := o.write(chain); err != nil {
		return err
	}
	if chain.Broken != "" {
		return verb.Exit(verb.ExitFound, "")
	}
	return nil
}

func (o *explainOptions) write(chain *explain.Chain) error {
	text := []byte(chain.Text(time.Now()))
	if o.output != "text" {
		var err error
		if text, err = verb.Encode(o.output, chain); err != nil {
			return err
		}
	}
	_, err := o.streams.Out.Write(text)
	return err
}

// isUnknown reports whether no bundle of this program is about a kind.
func isUnknown(kind schema.GroupVersionKind) (bool, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return false, err
	}
	bundles, err := verb.LoadBundles(bundle.Loader{Compiler: c}, nil, kind)
	return !verb.HaveKind(bundles, kind), err
}

// liveExplanation is what explain --scripts prints as JSON.
type liveExplanation struct {
	explanation `json:",inline"`
	// Silent are the ScriptBundles for the kind whose latest revision does not answer.
	Silent []shadow.Silent `json:"silent,omitempty"`
	// Copies are what the clusters reported.
	Copies []reportedCopy `json:"copies,omitempty"`
}

// reportedCopy is what the control plane has of the copy of a cluster.
type reportedCopy struct {
	Cluster string `json:"cluster"`
	Applied bool   `json:"applied"`
	// Message is why it is not applied.
	Message string `json:"message,omitempty"`
	// Health and HealthReason are what InterpretHealth answered about it, Status what
	// InterpretStatus did.
	Health       string          `json:"health,omitempty"`
	HealthReason string          `json:"healthReason,omitempty"`
	Status       json.RawMessage `json:"status,omitempty"`
}

// explainScripts shows which scripts answer about an object of a control plane.
func (o *explainOptions) explainScripts(ctx context.Context, p *controlPlane, in explain.Input) error {
	kind := in.Template.GroupVersionKind()
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	rules := provenance.NewRules()
	r := shadow.Reader{Hub: p.client, Loader: bundle.Loader{Compiler: c, Recording: rules.Recording()}}
	if r.Embedded, err = loadEmbedded(r.Loader, kind); err != nil {
		return err
	}
	for _, b := range r.Embedded {
		rules.Known = append(rules.Known, b.Kinds...)
	}
	r.Add = func(l engine.Layer, set engine.RuleSet, s provenance.Source) error {
		if l != engine.Embedded {
			for of := range set.Kinds {
				rules.Known = append(rules.Known, of)
			}
		}
		return rules.Add(l, set, s)
	}
	left, err := r.Read(ctx)
	if err != nil {
		return err
	}
	found := liveExplanation{Copies: copiesOf(in.Binding)}
	for _, err := range left {
		found.LeftOut = append(found.LeftOut, err.Error())
	}
	if found.Silent, err = r.Silent(ctx, kind); err != nil {
		return err
	}
	one, err := o.ask(rules, in.Template)
	if err != nil {
		return err
	}
	found.Objects = []provenance.Object{one}
	if err := o.writeLive(found); err != nil {
		return err
	}
	return o.finishScripts(found.Objects)
}

// copiesOf returns what the clusters of a binding reported; none where it is nil.
func copiesOf(b workv1alpha2.Binding) []reportedCopy {
	if b == nil {
		return nil
	}
	var all []reportedCopy
	for _, item := range b.GetStatus().AggregatedStatus {
		one := reportedCopy{Cluster: item.ClusterName, Applied: item.Applied, Message: item.AppliedMessage, Health: string(item.Health), HealthReason: string(item.HealthReason)}
		if item.Status != nil {
			one.Status = item.Status.Raw
		}
		all = append(all, one)
	}
	return all
}

// writeLive prints what scripts answer about an object of a control plane.
func (o *explainOptions) writeLive(found liveExplanation) error {
	if o.output != "text" {
		return o.writeEncoded(found)
	}
	if err := o.writeScripts(found.explanation); err != nil {
		return err
	}
	for _, s := range found.Silent {
		fmt.Fprintf(o.streams.Out, "  ScriptBundle %s: %s: %s\n", s.Name, s.Reason, s.Message)
	}
	for _, text := range found.LeftOut {
		fmt.Fprintf(o.streams.Err, "warning: %s\n", text)
	}
	return writeCopies(o.streams.Out, found.Copies)
}

// writeCopies prints what clusters reported.
func writeCopies(w io.Writer, all []reportedCopy) error {
	if len(all) > 0 {
		fmt.Fprintln(w, "  reported by the clusters, as the binding has it:")
	}
	for _, c := range all {
		text := "applied"
		if !c.Applied {
			text = "not applied"
		}
		if c.Message != "" {
			text += ": " + c.Message
		}
		if c.Health != "" {
			text += ", InterpretHealth " + c.Health
			if c.HealthReason != "" {
				text += " (" + c.HealthReason + ")"
			}
		}
		if c.Status != nil {
			text += ", InterpretStatus " + shortenStatus(string(c.Status))
		}
		if _, err := fmt.Fprintf(w, "    %s: %s\n", c.Cluster, text); err != nil {
			return err
		}
	}
	return nil
}

// maxStatus is how many characters of a status stand in a line; the JSON form has all of it.
const maxStatus = 120

// shortenStatus returns the first characters of a text.
func shortenStatus(text string) string {
	if shown := []rune(text); len(shown) > maxStatus {
		return string(shown[:maxStatus]) + "…"
	}
	return text
}
