// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "github.com/dragoman-io/dragoman/api/quantity"

// UnmarshalJSON decodes a FederatedResourceQuota with its quantities bounded; see package quantity.
func (q *FederatedResourceQuota) UnmarshalJSON(raw []byte) error {
	type plain FederatedResourceQuota
	return quantity.Unmarshal(raw, (*plain)(q))
}
