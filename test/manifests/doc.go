// SPDX-License-Identifier: Apache-2.0

// Package manifests compares what members get through the control plane with what they
// get when a user creates the same object there: the API server of the control plane and
// the controllers beside it fill in fields that are right in one cluster only. It is made
// of tests alone, on real API servers.
package manifests
