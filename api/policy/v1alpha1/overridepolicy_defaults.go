// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SetDefaults sets the namespace of selectors that have none to that of the policy. A
// ClusterOverridePolicy has no defaults beyond the schema.
func (p *OverridePolicy) SetDefaults() {
	setSelectorNamespace(p.Spec.ResourceSelectors, p.Namespace)
}
