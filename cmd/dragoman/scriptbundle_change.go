// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
	"github.com/dragoman-io/dragoman/engine/bundle/sign"
)

// activateOptions are the flags of activate.
type activateOptions struct {
	activation
	keys       []string
	parameters map[string]string
	shadow     bool
	plainHTTP  bool
	dryRun     bool
}

func newActivateCommand(streams Streams) *cobra.Command {
	o := &activateOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "activate NAME REFERENCE",
		Short: "Have a control plane fetch a bundle from a registry, and its scripts answer",
		Long: `activate creates the ScriptBundle of a name, or changes the one that is there, so that the
control plane fetches a bundle by its tag or its digest, verifies who signed it, tries it by its
own cases, and then has its scripts answer. A revision that fails a stage leaves the one before in
place. With --shadow the scripts do not answer: the control plane evaluates them beside those that
do, and dragoman status shows what would change.

With --dry-run it prints the ScriptBundle, to be kept in a repository and applied from there.

` + exitActivation,
		Example: `  dragoman activate flink registry.example.com/acme/flink:1.4.0 --key acme.pub.pem
  dragoman activate flink registry.example.com/acme/flink:1.5.0 --key acme.pub.pem --shadow
  dragoman activate flink registry.example.com/acme/flink:1.4.0 --key acme.pub.pem --dry-run > flink.yaml`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0], args[1]) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.keys, "key", nil, "file of a public key (PEM, PKIX, ed25519) that must have signed; of several, one is enough")
	f.StringToStringVar(&o.parameters, "param", nil, "value of a parameter of the bundle, as name=value; --parameter is the same")
	f.SetNormalizeFunc(parameterAsParam)
	f.BoolVar(&o.shadow, "shadow", false, "evaluate the scripts beside those that answer, and have none of them answer")
	f.BoolVar(&o.plainHTTP, "plain-http", false, "the registry does not speak TLS")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the ScriptBundle, and write nothing")
	o.addFlags(f)
	return c
}

func (o *activateOptions) run(ctx context.Context, name, reference string) error {
	ref, err := oci.ParseReference(reference)
	if err != nil {
		return err
	}
	if ref.Reference == "" {
		return fmt.Errorf("%s has no tag and no digest: add one, as in %s:1.0.0", reference, reference)
	}
	b := &interpreterv1alpha1.ScriptBundle{
		TypeMeta:   metav1.TypeMeta{APIVersion: interpreterv1alpha1.GroupVersion.String(), Kind: "ScriptBundle"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	if b.Spec, err = o.spec(strings.TrimPrefix(reference, oci.Scheme)); err != nil {
		return err
	}
	if errs := b.Validate(); len(errs) > 0 {
		return errs.ToAggregate()
	}
	if o.dryRun {
		return o.print(b)
	}
	p, ctx, cancel, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	spec := b.Spec
	switch err := p.client.Create(ctx, b); {
	case err == nil:
		return o.wait(ctx, p, b, "")
	case !apierrors.IsAlreadyExists(err):
		return asKind(fmt.Errorf("create ScriptBundle %s: %w", name, err))
	}
	there, err := p.readBundle(ctx, name)
	if err != nil {
		return err
	}
	return o.change(ctx, p, there, func(s *interpreterv1alpha1.ScriptBundleSpec) {
		if there.Spec.Source.OCI != nil { // what this command does not set
			spec.Source.OCI.Interval, spec.Source.OCI.Secret = there.Spec.Source.OCI.Interval, there.Spec.Source.OCI.Secret
		}
		*s = spec
	})
}

// spec returns the spec of the flags.
func (o *activateOptions) spec(reference string) (interpreterv1alpha1.ScriptBundleSpec, error) {
	s := interpreterv1alpha1.ScriptBundleSpec{
		Source:     interpreterv1alpha1.BundleSource{OCI: &interpreterv1alpha1.OCISource{Reference: reference, PlainHTTP: o.plainHTTP}},
		Parameters: o.parameters, Mode: interpreterv1alpha1.ModeActive,
	}
	if o.shadow {
		s.Mode = interpreterv1alpha1.ModeShadow
	}
	for _, file := range o.keys {
		text, err := readBytes(file, maxKey)
		if err != nil {
			return s, err
		}
		if _, err := sign.ParsePublicKey(text); err != nil {
			return s, fmt.Errorf("%s: %w", filepath.ToSlash(file), err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		s.Keys = append(s.Keys, interpreterv1alpha1.BundleKey{Name: name, PublicKey: string(text)})
	}
	return s, nil
}

// print prints a ScriptBundle without what is empty.
func (o *activateOptions) print(b *interpreterv1alpha1.ScriptBundle) error {
	text, err := printable.MarshalYAML(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        map[string]string                    `json:"metadata"`
		Spec            interpreterv1alpha1.ScriptBundleSpec `json:"spec"`
	}{b.TypeMeta, map[string]string{"name": b.Name}, b.Spec})
	if err != nil {
		return err
	}
	_, err = o.streams.Out.Write(text)
	return err
}

// rollbackOptions are the flags of rollback.
type rollbackOptions struct {
	activation
	to string
}

func newRollbackCommand(streams Streams) *cobra.Command {
	o := &rollbackOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "rollback NAME",
		Short: "Have an earlier revision of a ScriptBundle answer, and keep it",
		Long: `rollback has the revision answer that was active before, or the one that --to names, and keeps
it active whatever the source has. The control plane keeps three revisions, so that the source is
not needed. dragoman promote follows the source again.

` + exitActivation,
		Example: `  dragoman rollback flink
  dragoman rollback flink --to 1.3.0`,
		Args: func(_ *cobra.Command, args []string) error { return oneBundle(args) },
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().StringVar(&o.to, "to", "", "version, or first digits, of the revision; by default the one that was active before")
	o.addFlags(c.Flags())
	return c
}

func (o *rollbackOptions) run(ctx context.Context, name string) error {
	return o.edit(ctx, name, func(b *interpreterv1alpha1.ScriptBundle) (func(*interpreterv1alpha1.ScriptBundleSpec), error) {
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
		return nil, &exitError{exitFound, fmt.Sprintf("no revision of ScriptBundle %s was active before the one that is", b.Name)}
	}
	return &b.Status.History[1], nil
}

// promoteOptions are the flags of promote.
type promoteOptions struct {
	activation
	force bool
}

func newPromoteCommand(streams Streams) *cobra.Command {
	o := &promoteOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "promote NAME",
		Short: "Have the scripts of a ScriptBundle answer that were only evaluated, or kept back",
		Long: `promote ends the mode Shadow of a ScriptBundle: the revision that was evaluated answers from now
on. It is refused where that revision fails in questions that are answered now, or was not evaluated
yet, unless --force is given. It also ends what rollback did: the source is followed again.

` + exitActivation,
		Example: `  dragoman promote flink`,
		Args:    func(_ *cobra.Command, args []string) error { return oneBundle(args) },
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&o.force, "force", false, "also one that was not evaluated, or that fails where something answers now")
	o.addFlags(c.Flags())
	return c
}

func (o *promoteOptions) run(ctx context.Context, name string) error {
	return o.edit(ctx, name, func(b *interpreterv1alpha1.ScriptBundle) (func(*interpreterv1alpha1.ScriptBundleSpec), error) {
		if b.Spec.Mode != interpreterv1alpha1.ModeShadow && b.Spec.Revision == "" {
			return nil, fmt.Errorf("ScriptBundle %s follows its source already: its mode is Active, and spec.revision keeps none", name)
		}
		if err := promotable(b); err != nil && !o.force {
			return nil, &exitError{exitFound, fmt.Sprintf("%s: %v", name, err)}
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
