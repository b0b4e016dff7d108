// SPDX-License-Identifier: Apache-2.0

// Package selector decides what the selectors of policies match: objects by resource
// selectors (resource.go), clusters by affinities (affinity.go), and which taints of a
// cluster keep an object away (tolerations.go). Policies, overrides, quota and taint
// policies share it.
//
// Its functions take values and return values; they know no client, no cache and no clock.
package selector
