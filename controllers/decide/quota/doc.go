// SPDX-License-Identifier: Apache-2.0

// Package quota counts what bindings use of FederatedResourceQuotas, and decides whether a
// change of a binding fits into them.
//
// In go the spec of bindings and the hard limits of quotas, out come resource lists, decisions
// and the order in which what was refused is admitted later. All amounts are over all clusters
// together. The package refuses to know where bindings come from, and what is being written.
package quota
