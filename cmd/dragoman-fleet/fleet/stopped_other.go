// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package fleet

// awaitStopped does not wait.
func awaitStopped(int) error { return nil }
