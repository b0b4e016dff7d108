// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import "github.com/dragoman-io/dragoman/api/quantity"

// UnmarshalJSON decodes a ResourceBinding with its quantities bounded; see package quantity.
func (b *ResourceBinding) UnmarshalJSON(raw []byte) error {
	type plain ResourceBinding
	return quantity.Unmarshal(raw, (*plain)(b))
}

// UnmarshalJSON decodes a ClusterResourceBinding with its quantities bounded; see package quantity.
func (b *ClusterResourceBinding) UnmarshalJSON(raw []byte) error {
	type plain ClusterResourceBinding
	return quantity.Unmarshal(raw, (*plain)(b))
}
