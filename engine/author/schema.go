// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/script"
)

// unknown returns a message for a kind that does not exist though its group is known. It
// is "" for a kind of any other group.
func (c *Checker) unknown(kind schema.GroupVersionKind) string {
	var names, versions []string
	for known := range c.kinds {
		if known.Group != kind.Group {
			continue
		}
		if known.Kind == kind.Kind {
			versions = append(versions, known.GroupVersion().String())
		}
		names = append(names, known.Kind)
	}
	slices.Sort(names)
	switch {
	case kind.Group == source.PlacementKind().Group && kind.Kind == source.ManifestKind:
		return "kind: " + source.MisnamedManifest
	case len(names) == 0:
		return ""
	case len(versions) > 0:
		return fmt.Sprintf("apiVersion: there is no %s of %s; its version is %s", kind.Kind, kind.GroupVersion(), strings.Join(versions, ", "))
	}
	return "kind: " + script.Unknown("kind of "+kind.Group, kind.Kind, slices.Compact(names))
}
