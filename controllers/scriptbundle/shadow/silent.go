// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle"
)

// Silent is a ScriptBundle that is about a kind, or may be, and whose latest revision does not answer, or
// would not.
type Silent struct {
	Name string `json:"name"`
	// Reason and Message are those of its condition Active: whether it was refused or is only
	// evaluated, and what answers instead.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Silent returns the ScriptBundles that are about a kind, and of which the wanted revision does not
// answer. One whose files cannot be read is about any kind.
func (r Reader) Silent(ctx context.Context, kind schema.GroupVersionKind) ([]Silent, error) {
	var installed interpreterv1alpha1.ScriptBundleList
	if err := r.Hub.List(ctx, &installed); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("list the ScriptBundles: %w", err)
	}
	var all []Silent
	for k := range installed.Items {
		b := &installed.Items[k]
		if s := silent(b); s != nil && r.isAbout(ctx, b, kind) {
			all = append(all, *s)
		}
	}
	return all, nil
}

// silent returns why the wanted revision does not answer, nil where it does.
func silent(b *interpreterv1alpha1.ScriptBundle) *Silent {
	active := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionActive)
	switch {
	case active == nil:
		return &Silent{Name: b.Name, Reason: scriptbundle.ReasonPending, Message: "the control plane has not looked at it yet"}
	case active.Status == metav1.ConditionTrue && active.Reason != scriptbundle.ReasonShadow:
		return nil
	}
	return &Silent{Name: b.Name, Reason: active.Reason, Message: active.Message}
}

// isAbout reports whether the wanted or the active revision has a kind, or cannot be read.
func (r Reader) isAbout(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, kind schema.GroupVersionKind) bool {
	read := false
	for _, revision := range []*interpreterv1alpha1.BundleRevision{b.Status.Wanted, b.Status.Active} {
		if revision == nil {
			continue
		}
		loaded, err := r.load(ctx, b, revision)
		if err != nil {
			continue
		}
		read = true
		if slices.Contains(loaded.Kinds, kind) {
			return true
		}
	}
	return !read
}
