// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Served returns a kind in a version that the cluster serves now, the preferred one first,
// and false where it serves none. It asks the API server each time.
func (m *Member) Served(ctx context.Context, kind schema.GroupKind) (schema.GroupVersionKind, bool, error) {
	groups, err := m.Discovery.ServerGroupsWithContext(ctx)
	if err != nil {
		return schema.GroupVersionKind{}, false, fmt.Errorf("ask cluster %s what it serves: %w", m.Name, err)
	}
	for i := range groups.Groups {
		if groups.Groups[i].Name != kind.Group {
			continue
		}
		for _, version := range versionsOf(&groups.Groups[i]) {
			served, err := m.serves(ctx, schema.GroupVersion{Group: kind.Group, Version: version}, kind.Kind)
			if err != nil || served {
				return kind.WithVersion(version), served, err
			}
		}
	}
	return schema.GroupVersionKind{}, false, nil
}

// versionsOf lists the versions of a group, the preferred one first.
func versionsOf(group *metav1.APIGroup) []string {
	versions := []string{group.PreferredVersion.Version}
	for _, v := range group.Versions {
		if v.Version != versions[0] {
			versions = append(versions, v.Version)
		}
	}
	return versions
}

func (m *Member) serves(ctx context.Context, version schema.GroupVersion, kind string) (bool, error) {
	list, err := m.Discovery.ServerResourcesForGroupVersionWithContext(ctx, version.String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask cluster %s what it serves of %s: %w", m.Name, version, err)
	}
	for i := range list.APIResources {
		if list.APIResources[i].Kind == kind {
			return true, nil
		}
	}
	return false, nil
}

// Unserved reports whether an API server refused a request because it does not serve the
// kind in that version. That is a 404, as it is for an object that is not there.
func Unserved(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
