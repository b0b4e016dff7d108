// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"maps"
	"slices"
)

// sorted returns the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
