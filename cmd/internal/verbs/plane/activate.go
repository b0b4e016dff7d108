// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine/bundle/oci"
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

func newActivateCommand(streams verb.Streams) *cobra.Command {
	o := &activateOptions{activation: activation{streams: streams}}
	c := &cobra.Command{
		Use:   "activate NAME REFERENCE",
		Short: "Activate a bundle of a registry on a control plane",
		Long: `activate creates the ScriptBundle of a name, or changes the one that is there, so that the
control plane fetches a bundle by its tag or its digest, verifies who signed it, tries it by its
own cases, and then has its scripts answer. A revision that fails a stage leaves the one before in
place. With --shadow the scripts do not answer: the control plane evaluates them beside those that
do, and dragoman status shows what would change.

With --dry-run it prints the ScriptBundle, to be kept in a repository and applied from there.

` + activationExitCodes,
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
		return o.waitForOutcome(ctx, p, b, "")
	case !apierrors.IsAlreadyExists(err):
		return adviseCRDs(fmt.Errorf("create ScriptBundle %s: %w", name, err))
	}
	there, err := p.readBundle(ctx, name)
	if err != nil {
		return err
	}
	return o.changeSpec(ctx, p, there, func(s *interpreterv1alpha1.ScriptBundleSpec) {
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
		_, text, err := shipped.ReadPublicKey(file)
		if err != nil {
			return s, err
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
