// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SetDefaults returns selectors the policy's namespace. A ClusterOverridePolicy
// has nothing to fill in.
func (p *OverridePolicy) SetDefaults() {
	setSelectorNamespace(p.Spec.ResourceSelectors, p.Namespace)
}
