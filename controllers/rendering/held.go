// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/bindings"
	"github.com/dragoman-io/dragoman/controllers/internal/demand"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/placement"
	"github.com/dragoman-io/dragoman/engine"
)

// errNotAdmitted is why a template is not rendered although a Work could be written.
var errNotAdmitted = errors.New("the template needs other replicas or resources than its binding was admitted with; " +
	"it is rendered once its binding has been updated, which a quota or an error of the template may prevent")

// admitted reports whether a binding was written for what its template needs now. If it
// was not, what the template needs has not been scheduled or counted against a quota yet,
// or was refused. A binding without placement carries what others depend on, and is
// admitted with these.
func (c *Controller[B]) admitted(b B, template *unstructured.Unstructured, rules engine.Snapshot) (bool, error) {
	spec := b.GetSpec()
	if spec.Placement == nil || spec.Resource.ResourceVersion == template.GetResourceVersion() {
		return true, nil
	}
	// The version differs also after each write of the template's status.
	fingerprint, err := templates.Fingerprint(template)
	if err != nil || fingerprint == b.GetAnnotations()[bindings.FingerprintAnnotation] {
		return err == nil, err
	}
	needed, err := demand.Of(rules, template, len(spec.Components) > 0 || c.Gates.Enabled(features.MultiplePodTemplatesScheduling))
	if err != nil {
		return false, err
	}
	return needed.Equal(demand.In(spec)), nil
}

// isPlaced reports whether a binding is placed with all replicas that its template has, where
// no script sets those of a copy: a copy has as many as the template, and a quota may have
// refused to place them.
func isPlaced(spec *workv1alpha2.ResourceBindingSpec, kind schema.GroupVersionKind, rules engine.Snapshot) bool {
	if spec.Placement == nil || len(spec.Components) > 0 || rules.Supports(kind, engine.ReviseReplica) {
		return true
	}
	placed := int64(0)
	for _, t := range spec.Clusters {
		if placement.Copies(spec) && t.Replicas < spec.Replicas {
			return false
		}
		placed += int64(t.Replicas)
	}
	return placement.Copies(spec) || placed >= int64(spec.Replicas)
}

// whyNotAdmitted returns why a template is not rendered, with what a quota has to say.
func whyNotAdmitted(status *workv1alpha2.ResourceBindingStatus, err error) error {
	c := meta.FindStatusCondition(status.Conditions, workv1alpha2.WithinQuota)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errNotAdmitted, err)
	case c != nil:
		return fmt.Errorf("%w: %s", errNotAdmitted, c.Message)
	}
	return errNotAdmitted
}

// patience is how long a template that is not admitted waits before the binding reports
// it: most are admitted within milliseconds.
const patience = 5 * time.Second
