// SPDX-License-Identifier: Apache-2.0

// Package scripts tests the bundles of this program: that each of their cases passes,
// that every script has some, that the numbers of Karmada's documents come out of them,
// and that Lua and CEL answer the same where a script is in both. It also runs Karmada's
// own cases and objects as the projects publish them, which are beside the repository;
// see package shared.
package scripts
