// SPDX-License-Identifier: Apache-2.0

// Package ownership shows on a real API server what decisions of the controllers rest on:
// whether managedFields tell what a user wrote from what the API server allocated, and
// what server-side apply and update leave of the fields of others. It is made of tests
// alone; see controllers/work/RATIONALE.md.
package ownership
