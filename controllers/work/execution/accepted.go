// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// differencesOf returns the differences of a manifest that are accepted.
func differencesOf(status *workv1alpha1.WorkStatus, ordinal int) workv1alpha1.ManifestDifferences {
	for i := range status.Differences {
		if status.Differences[i].Ordinal == ordinal {
			return status.Differences[i]
		}
	}
	return workv1alpha1.ManifestDifferences{Ordinal: ordinal}
}

func acceptedDigest(status *workv1alpha1.WorkStatus, ordinal int) string {
	return differencesOf(status, ordinal).Digest
}

// leftFields returns the fields that are left to others for a manifest, which is only
// identified where there are any.
func leftFields(status *workv1alpha1.WorkStatus, ordinal int, manifest func() string) []workv1alpha1.LeftField {
	d := differencesOf(status, ordinal)
	if len(d.LeftFields) == 0 || d.Manifest != manifest() {
		return nil
	}
	return d.LeftFields
}

// manifestOf identifies the manifest that fields are left for, if there are any.
func (a *application) manifestOf(left []workv1alpha1.LeftField) string {
	if len(left) == 0 {
		return ""
	}
	return a.manifest()
}

func pathsOf(left []workv1alpha1.LeftField) []string {
	list := make([]string, len(left))
	for i := range left {
		list[i] = left[i].Path
	}
	return list
}

// setDifferences writes the differences of one manifest into the status; without a digest
// and left fields there is nothing to write.
func setDifferences(status *workv1alpha1.WorkStatus, d workv1alpha1.ManifestDifferences) {
	kept := slices.DeleteFunc(slices.Clone(status.Differences), func(other workv1alpha1.ManifestDifferences) bool { return other.Ordinal == d.Ordinal })
	if d.Digest != "" || len(d.LeftFields) > 0 {
		kept = append(kept, d)
		slices.SortFunc(kept, func(a, b workv1alpha1.ManifestDifferences) int { return a.Ordinal - b.Ordinal })
	}
	if len(kept) == 0 {
		kept = nil
	}
	status.Differences = kept
}

// mostListed is about how many bytes of an event the fields take that are left; the advice has the rest.
const mostListed = 400

// leave leaves fields to whoever set them each time that they were written, and reports
// that in events on the Work and on the template.
func (a *application) leave(ctx context.Context, left []workv1alpha1.LeftField, lost []difference, observed *unstructured.Unstructured) error {
	live, err := a.live(ctx, a.desired) // a watch has no managedFields
	if err != nil || live == nil {
		return err
	}
	all := slices.Clone(left)
	var named []string
	for i := range lost {
		field := workv1alpha1.LeftField{Path: lost[i].Path, Manager: writerOf(live, lost[i].elements)}
		all = append(all, field)
		writer := field.Manager
		if writer == "" {
			writer = "a writer that managedFields do not name"
		}
		named = append(named, field.Path+" ("+writer+")")
	}
	slices.SortFunc(all, func(a, b workv1alpha1.LeftField) int { return strings.Compare(a.Path, b.Path) })
	report := fmt.Errorf("%s in cluster %s: someone there set these fields again each of the %d times that they were written, and they are left as they are there until the template changes: %s. %s",
		describe(a.desired), a.member.Name, mostWrites, listed(named, mostListed), advise(lost, a.keptByLabel(observed)))
	a.Warn(a.work, "FieldLeft", "Apply", report)
	// The recorder counts events of the same objects as one for minutes, whatever their notes are: the
	// Work keeps those of several clusters apart.
	a.Events.Eventf(templateOf(a.desired), a.work, corev1.EventTypeWarning, "FieldLeft", "Apply", "%s", base.Clip(report.Error(), base.MaxNote))
	a.logger(ctx).Info("left fields to another writer in member", "fields", named)
	setDifferences(&a.work.Status, workv1alpha1.ManifestDifferences{
		Ordinal: a.ordinal, Digest: acceptedDigest(&a.work.Status, a.ordinal), LeftFields: all, Manifest: a.manifestOf(all),
	})
	return a.update(ctx, live)
}

// templateOf returns a reference to the template that a manifest is of.
func templateOf(manifest *unstructured.Unstructured) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(manifest.GroupVersionKind())
	o.SetNamespace(manifest.GetNamespace())
	o.SetName(manifest.GetName())
	o.SetUID(types.UID(manifest.GetAnnotations()[workv1alpha2.TemplateUIDAnnotation]))
	return o
}
