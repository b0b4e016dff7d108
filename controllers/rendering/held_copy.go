// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"cmp"
	"context"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/engine"
)

// renderHeld writes what can be written while the template is not admitted: the settings of
// the Works that are there, and Works for new targets, from the version of the template
// that others have. A Work that is not wanted any more is deleted once a target has that
// version, since it may be the last that does; the event of a new Work enqueues the binding.
// One that goes first would be the last, so it stays unless another has that version.
// otherwise is the version where no Work has one; nil has none written.
func (c *Controller[B]) renderHeld(ctx context.Context, b B, rules engine.Snapshot, p rendering.Plan, otherwise *unstructured.Unstructured) ([]failure, error) {
	if err := c.writeSettings(ctx, b, p.Plan); err != nil {
		return nil, err
	}
	added, rendered := p, false
	added.Render = nil
	for _, target := range p.Render {
		if w := p.Existing[target.Name]; w == nil {
			added.Render = append(added.Render, target)
		} else if w.DeletionTimestamp == nil {
			rendered = true
		}
	}
	if rendered {
		if err := c.remove(ctx, p); err != nil {
			return nil, err
		}
	}
	if !rendered {
		p.Replace = nil
	}
	held := cmp.Or(heldVersion(b, p.Existing), otherwise)
	if held == nil || len(added.Render) == 0 && len(p.Replace) == 0 {
		return nil, nil
	}
	in, err := c.input(ctx, b, held, rules)
	if err != nil {
		return nil, err
	}
	o, unrendered, err := c.replace(ctx, b, in, &p)
	if err != nil || len(o.Refused) > 0 {
		return nil, err
	}
	failures, err := c.renderTargets(ctx, b, in, added)
	return append(failures, unrendered...), err
}

// heldVersion returns the latest version of the template that a Work of the binding has,
// without the marks of the Work; nil if there is none. A manifest that an override policy
// changed, or that carries preserved state, is that of one cluster alone.
func heldVersion(b workv1alpha2.Binding, works map[string]*workv1alpha1.Work) *unstructured.Unstructured {
	var latest *unstructured.Unstructured
	for cluster, w := range works {
		overridden := w.Annotations[policyv1alpha1.AppliedOverridesAnnotation] != "" || w.Annotations[policyv1alpha1.AppliedClusterOverridesAnnotation] != ""
		if state := binding.StateFor(b, cluster, w.Annotations[workv1alpha2.RestoredFromAnnotation]); overridden || !state.IsEmpty() || len(w.Spec.Workload.Manifests) != 1 {
			continue
		}
		held := &unstructured.Unstructured{}
		if held.UnmarshalJSON(w.Spec.Workload.Manifests[0].Raw) != nil {
			continue
		}
		annotations := held.GetAnnotations()
		generation, _ := strconv.ParseInt(annotations[workv1alpha2.TemplateGenerationAnnotation], 10, 64) // 0 is of a kind without
		held.SetGeneration(generation)
		held.SetUID(types.UID(annotations[workv1alpha2.TemplateUIDAnnotation]))
		if latest == nil || latest.GetGeneration() < generation {
			latest = held
		}
	}
	if latest != nil {
		unmark(b, latest)
	}
	return latest
}

// unmark removes the labels that setOwnership sets; it replaces its annotations.
func unmark(b workv1alpha2.Binding, o *unstructured.Unstructured) {
	kept := o.GetLabels()
	for _, label := range []string{scope.BindingIDLabel(b), workv1alpha2.WorkPermanentIDLabel, workv1alpha2.ManagedLabel} {
		delete(kept, label)
	}
	o.SetLabels(kept)
}
