// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Paths are where objects have their replicas, by kind: spec.replicas.
type Paths map[schema.GroupVersionKind]string

// PathsOf returns the paths of the versions that a CRD serves and that have a scale
// subresource.
func PathsOf(crd *apiextensionsv1.CustomResourceDefinition) Paths {
	paths := Paths{}
	for _, v := range crd.Spec.Versions {
		if !v.Served || v.Subresources == nil || v.Subresources.Scale == nil {
			continue
		}
		kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
		paths[kind] = strings.TrimPrefix(v.Subresources.Scale.SpecReplicasPath, ".")
	}
	return paths
}

func (p Paths) equal(other Paths) bool { return maps.Equal(p, other) }

// revision identifies the content of paths.
func (p Paths) revision() string {
	var lines []string
	for kind, path := range p {
		lines = append(lines, fmt.Sprintf("%s %s", kind, path))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
