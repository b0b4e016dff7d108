// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "github.com/dragoman-io/dragoman/api/quantity"

// UnmarshalJSON decodes a Cluster with its quantities bounded; see package quantity.
func (c *Cluster) UnmarshalJSON(raw []byte) error {
	type plain Cluster
	return quantity.Unmarshal(raw, (*plain)(c))
}
