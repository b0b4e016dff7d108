// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// rollbackOptions are the flags of rollback.
type rollbackOptions struct {
	activation
	to string
}

func newRollbackCommand(streams verb.Streams) *cobra.Command {
	o := &rollbackOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "rollback NAME",
		Short: "Activate an earlier revision of a ScriptBundle, and keep it",
		Long: `rollback has the revision answer that was active before, or the one that --to names, and keeps
it active whatever the source has. The control plane keeps three revisions, so that the source is
not needed. dragoman promote follows the source again.

` + activationExitCodes,
		Example: `  dragoman rollback flink
  dragoman rollback flink --to 1.3.0`,
		Args: func(_ *cobra.Command, args []string) error { return oneBundleArg(args) },
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().StringVar(&o.to, "to", "", "version, or first digits, of the revision; by default the one that was active before")
	o.addFlags(c.Flags())
	return c
}

func (o *rollbackOptions) run(ctx context.Context, name string) error {
	return o.editSpec(ctx, name, func(b *interpreterv1alpha1.ScriptBundle) (func(*interpreterv1alpha1.ScriptBundleSpec), error) {
		r, err := o.revision(b)
		return func(s *interpreterv1alpha1.ScriptBundleSpec) {
			s.Revision, s.Mode = r.Revision, interpreterv1alpha1.ModeActive
		}, err
	})
}

// revision returns the one to go back to.
func (o *rollbackOptions) revision(b *interpreterv1alpha1.ScriptBundle) (*interpreterv1alpha1.BundleRevision, error) {
	switch {
	case o.to != "":
		return findRevision(b, o.to)
	case len(b.Status.History) < 2:
		return nil, verb.Foundf("no revision of ScriptBundle %s was active before the one that is", b.Name)
	}
	return &b.Status.History[1], nil
}

// findRevision returns the revision of a history that begins with some digits, or has a version.
func findRevision(b *interpreterv1alpha1.ScriptBundle, name string) (*interpreterv1alpha1.BundleRevision, error) {
	var found []*interpreterv1alpha1.BundleRevision
	var known []string
	for i := range b.Status.History {
		r := &b.Status.History[i]
		if strings.HasPrefix(r.Revision, name) || r.Version == name {
			found = append(found, r)
		}
		known = append(known, strings.TrimSuffix(shortRevision(r)+" ("+r.Version+")", " ()"))
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(known) == 0:
		return nil, verb.Foundf("no revision of ScriptBundle %s was active yet", b.Name)
	case len(found) > 1:
		return nil, fmt.Errorf("several revisions of ScriptBundle %s are %q: %s", b.Name, name, strings.Join(known, ", "))
	}
	return nil, verb.Foundf("no revision of ScriptBundle %s is %q; kept are %s", b.Name, name, strings.Join(known, ", "))
}
