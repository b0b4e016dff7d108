// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// identity identifies a manifest among those of one Work.
type identity struct {
	kind   schema.GroupVersionKind
	object types.NamespacedName
}

func identityOf(o *unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind(), client.ObjectKeyFromObject(o)}
}

// version identifies a version of a template.
type version struct{ uid, generation string }

// versionOf returns the version of the template that an object, or a manifest, was made
// from.
func versionOf(o *unstructured.Unstructured) version {
	annotations := o.GetAnnotations()
	return version{annotations[workv1alpha2.TemplateUIDAnnotation], annotations[workv1alpha2.TemplateGenerationAnnotation]}
}

// finished records the objects that a watch showed in a terminal state, by the version
// that they were made from, until the status of their Work holds it. The watch may see an
// object for the last time before its Work is reconciled. It is safe for many goroutines;
// the zero value is ready.
type finished struct {
	seen memory.Parts[types.NamespacedName, identity, version]
	// undecided are the objects as a watch showed them last, of kinds whose script is not
	// compiled yet.
	undecided memory.Parts[types.NamespacedName, identity, *unstructured.Unstructured]
}

func (f *finished) add(work types.NamespacedName, o *unstructured.Unstructured) {
	f.seen.Set(work, identityOf(o), versionOf(o))
}

func (f *finished) has(work types.NamespacedName, manifest *unstructured.Unstructured) bool {
	v, ok := f.seen.Get(work, identityOf(manifest))
	return ok && v == versionOf(manifest)
}

func (f *finished) forget(work types.NamespacedName) {
	f.seen.ForgetAll(work)
	f.undecided.ForgetAll(work)
}

// observeFinished records the object of an event if it has reached a terminal state or
// was deleted in one, and reports whether it did.
func (c *Controller) observeFinished(e member.Event) bool {
	last := e.New
	if last == nil {
		last = e.Old
	}
	if last == nil || c.leaving.shows(last.GetUID(), e.New == nil) {
		return false
	}
	ended, err := base.Finished(c.Interpreter.Snapshot(), last)
	if err != nil {
		c.finished.undecided.Set(e.Work, identityOf(last), last)
		return false
	}
	c.finished.undecided.Forget(e.Work, identityOf(last))
	if ended {
		c.finished.add(e.Work, last)
	}
	return ended
}

// decideFinished decides whether the object of a manifest, which a watch showed when the
// script of its kind was not compiled yet, had reached a terminal state. Until that is
// known it must not be created, which might run a job a second time; that is the error.
func (c *Controller) decideFinished(w *workv1alpha1.Work, manifest *unstructured.Unstructured) error {
	work := client.ObjectKeyFromObject(w)
	last, undecided := c.finished.undecided.Get(work, identityOf(manifest))
	if !undecided {
		return nil
	}
	ended, err := base.Finished(c.Interpreter.Snapshot(), last)
	if err != nil {
		return err
	}
	if ended {
		c.finished.add(work, last)
	}
	c.finished.undecided.Forget(work, identityOf(last))
	return nil
}

// hasFinished reports whether the object of a manifest reached a terminal state, for the
// version of the template that the manifest is of.
func hasFinished(status *workv1alpha1.WorkStatus, ordinal int, manifest *unstructured.Unstructured) bool {
	v := versionOf(manifest)
	return slices.ContainsFunc(status.Finished, func(f workv1alpha1.FinishedManifest) bool {
		return f.Ordinal == ordinal && f.TemplateUID == v.uid && f.TemplateGeneration == v.generation
	})
}

// setFinished writes into the status that the object of a manifest reached a terminal
// state, or that none of an earlier version counts any more.
func setFinished(status *workv1alpha1.WorkStatus, ordinal int, manifest *unstructured.Unstructured, ended bool) {
	if hasFinished(status, ordinal, manifest) {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(status.Finished), func(f workv1alpha1.FinishedManifest) bool { return f.Ordinal == ordinal })
	if ended {
		v := versionOf(manifest)
		kept = append(kept, workv1alpha1.FinishedManifest{Ordinal: ordinal, TemplateUID: v.uid, TemplateGeneration: v.generation})
		slices.SortFunc(kept, func(a, b workv1alpha1.FinishedManifest) int { return a.Ordinal - b.Ordinal })
	}
	if len(kept) == 0 {
		kept = nil
	}
	status.Finished = kept
}
