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

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Paths are where objects have their replicas, by kind: spec.replicas.
type Paths map[schema.GroupVersionKind]string

// PathsOf returns those of a CRD; see bundle.ScalePathsOf.
func PathsOf(crd *apiextensionsv1.CustomResourceDefinition) Paths { return bundle.ScalePathsOf(crd) }

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
