// SPDX-License-Identifier: Apache-2.0

package builtin

import "slices"

// Published lists all functions as scripts of the published form call them. Karmada has four
// of them: accuratePodRequirements and getPodDependencies there read any map as a pod
// template, and so they do here.
func Published() []Function {
	all := Functions()
	for _, f := range []Function{accuratePodRequirements(nil), getPodDependencies(nil)} {
		all[slices.IndexFunc(all, func(other Function) bool { return other.Name == f.Name })] = f
	}
	return all
}
