// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// activation are the flags of the commands that change what a ScriptBundle has active, and wait for
// what becomes of it.
type activation struct {
	streams    verb.Streams
	kubeconfig string
	timeout    time.Duration
}

func (a *activation) addFlags(f *pflag.FlagSet) {
	addKubeconfigFlag(f, &a.kubeconfig)
	f.DurationVar(&a.timeout, "timeout", time.Minute, "how long the control plane is waited for; 0 does not wait")
}

// parameterAsParam has --parameter, as the verbs of authors name it, mean --param.
func parameterAsParam(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "parameter" {
		name = "param"
	}
	return pflag.NormalizedName(name)
}

// activationExitCodes are the exit codes of these commands.
const activationExitCodes = `Exit codes: 0 it is as asked; 1 the control plane refused it, or could not fetch what the
spec names now, and what was active stays; 2 usage, or the control plane could not be read, or said
nothing within --timeout.`

// open returns the control plane, and a context that ends after the requests and the wait.
func (a *activation) open(ctx context.Context) (*controlPlane, context.Context, context.CancelFunc, error) {
	if a.timeout < 0 {
		return nil, nil, nil, fmt.Errorf("--timeout %s: want 0 or more", a.timeout)
	}
	p, err := openPlane(a.kubeconfig, "")
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout+requestTimeout)
	return p, ctx, cancel, nil
}

// readBundle reads a ScriptBundle.
func (p *controlPlane) readBundle(ctx context.Context, name string) (*interpreterv1alpha1.ScriptBundle, error) {
	b := &interpreterv1alpha1.ScriptBundle{}
	err := p.client.Get(ctx, client.ObjectKey{Name: name}, b)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("there is no ScriptBundle %s; dragoman status lists all", name)
	case err != nil:
		return nil, adviseCRDs(fmt.Errorf("read ScriptBundle %s: %w", name, err))
	}
	return b, nil
}

// adviseCRDs returns an error with what to do where the control plane has no ScriptBundles.
func adviseCRDs(err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("%w; the control plane lacks the CRDs of this version: apply those of its release", err)
	}
	return err
}

// changeSpec changes the spec of a ScriptBundle and waits for what becomes of it.
func (a *activation) changeSpec(ctx context.Context, p *controlPlane, b *interpreterv1alpha1.ScriptBundle, f func(*interpreterv1alpha1.ScriptBundleSpec)) error {
	before := b.DeepCopy()
	f(&b.Spec)
	of := unchangedSource(before, &b.Spec)
	if err := p.client.Patch(ctx, b, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("write ScriptBundle %s: %w", b.Name, err)
	}
	return a.waitForOutcome(ctx, p, b, of)
}

// editSpec reads a ScriptBundle, and changes its spec as decide says.
func (a *activation) editSpec(ctx context.Context, name string, decide func(*interpreterv1alpha1.ScriptBundle) (func(*interpreterv1alpha1.ScriptBundleSpec), error)) error {
	p, ctx, cancel, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	b, err := p.readBundle(ctx, name)
	if err != nil {
		return err
	}
	f, err := decide(b)
	if err != nil {
		return err
	}
	return a.changeSpec(ctx, p, b, f)
}

// pollInterval is how often a ScriptBundle is read that is waited for.
const pollInterval = 200 * time.Millisecond

// waitForOutcome waits until the control plane has dealt with the generation of a ScriptBundle, and prints what
// became of it; of is that of outcomeOf.
func (a *activation) waitForOutcome(ctx context.Context, p *controlPlane, b *interpreterv1alpha1.ScriptBundle, of string) error {
	if a.timeout == 0 {
		fmt.Fprintf(a.streams.Err, "wrote ScriptBundle %s; dragoman status %s shows what becomes of it\n", b.Name, b.Name)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	generation := b.Generation
	for {
		now, err := p.readBundle(ctx, b.Name)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && now.Generation >= generation {
			if o := outcomeOf(now, of); o != (outcome{}) {
				return printOutcome(a.streams, now, o)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the control plane did not report ScriptBundle %s within %s: does a manager run? dragoman status %s shows what it reports later", b.Name, a.timeout, b.Name)
		case <-time.After(pollInterval):
		}
	}
}

// printOutcome prints what became of a ScriptBundle. A revision that was refused is an error.
func printOutcome(streams verb.Streams, b *interpreterv1alpha1.ScriptBundle, o outcome) error {
	if o.refusal != "" {
		return verb.Exit(verb.ExitFound, b.Name+": "+o.refusal)
	}
	_, err := fmt.Fprint(streams.Out, bundleDetails(b, o, time.Now()))
	return err
}

// shortRevision names a revision to people.
func shortRevision(r *interpreterv1alpha1.BundleRevision) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.12s", r.Revision)
}

// oneBundleArg reports arguments other than the name of one ScriptBundle.
func oneBundleArg(args []string) error {
	if len(args) != 1 {
		return errors.New("want the name of one ScriptBundle; dragoman status lists all")
	}
	return nil
}
