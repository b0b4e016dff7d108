// SPDX-License-Identifier: Apache-2.0

// Package explain decides what became of a template: it follows the chain from the
// template over its policy, its binding, its clusters and its Works to the objects of the
// members and their status, and names the first link that is broken and what to do.
//
// In go the objects of a control plane as they are; out comes a Chain. The rules are those
// of the controllers, whose decisions it calls. The package knows no client and no clock.
package explain
