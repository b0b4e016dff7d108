// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// referredKinds lists the kinds that references refers to: those of v1, and of
// resource.k8s.io/v1 (Kubernetes 1.37).
func referredKinds() []string {
	return []string{
		"ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume",
		"PersistentVolumeClaim", "Pod", "PodTemplate", "ReplicationController", resourceClaim,
		resourceClaimTemplate, "ResourceQuota", "Secret", "Service", "ServiceAccount",
	}
}

// referredKind refuses a kind that references cannot refer to: the reference would name an
// object that no API has.
func referredKind(v any) error {
	kind, _ := v.(string)
	known := referredKinds()
	if slices.Contains(known, kind) {
		return nil
	}
	hint := ""
	for _, k := range known {
		if strings.EqualFold(kind, k) || strings.EqualFold(kind, k+"s") {
			hint = "; did you mean " + k + "?"
		}
	}
	return fmt.Errorf("is %s, which is no kind of v1%s Known are %s; write a reference to another kind as a map with apiVersion, kind, namespace and name",
		quoted(kind), cmp.Or(hint, "."), strings.Join(known, ", "))
}
