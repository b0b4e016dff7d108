// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// promoteOptions are the flags of promote.
type promoteOptions struct {
	activation
	force bool
}

func newPromoteCommand(streams verb.Streams) *cobra.Command {
	o := &promoteOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "promote NAME",
		Short: "Activate the revision of a ScriptBundle that was evaluated or kept back",
		Long: `promote ends the mode Shadow of a ScriptBundle: the revision that was evaluated answers from now
on. It is refused where that revision fails in questions that are answered now, or was not evaluated
yet, unless --force is given. It also ends what rollback did: the source is followed again.

` + activationExitCodes,
		Example: `  dragoman promote flink`,
		Args:    func(_ *cobra.Command, args []string) error { return oneBundleArg(args) },
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&o.force, "force", false, "also one that was not evaluated, or that fails where something answers now")
	o.addFlags(c.Flags())
	return c
}

func (o *promoteOptions) run(ctx context.Context, name string) error {
	return o.editSpec(ctx, name, func(b *interpreterv1alpha1.ScriptBundle) (func(*interpreterv1alpha1.ScriptBundleSpec), error) {
		if b.Spec.Mode != interpreterv1alpha1.ModeShadow && b.Spec.Revision == "" {
			return nil, fmt.Errorf("ScriptBundle %s follows its source already: its mode is Active, and spec.revision keeps none", name)
		}
		if err := promotable(b); err != nil && !o.force {
			return nil, verb.Foundf("%s: %v", name, err)
		}
		if s := b.Status.Shadow; s != nil && s.Objects == 0 {
			fmt.Fprintln(o.streams.Err, "note: the revision was asked nothing: the control plane propagates no object of its kinds")
		}
		return func(s *interpreterv1alpha1.ScriptBundleSpec) { s.Revision, s.Mode = "", interpreterv1alpha1.ModeActive }, nil
	})
}

// promotable returns why the revision of a ScriptBundle in the mode Shadow is not to answer.
func promotable(b *interpreterv1alpha1.ScriptBundle) error {
	if b.Spec.Mode != interpreterv1alpha1.ModeShadow {
		return nil
	}
	switch s, o := b.Status.Shadow, outcomeOf(b, ""); {
	case o.refusal != "":
		return errors.New(o.refusal)
	case !o.done:
		return errors.New("the control plane has not evaluated this revision yet; try again, or pass --force")
	case s.NewErrors > 0:
		return fmt.Errorf("the revision fails in %d questions that are answered now; dragoman status %s shows them; mend it, or pass --force", s.NewErrors, b.Name)
	}
	return nil
}
