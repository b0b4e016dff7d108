// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package shipped

import "errors"

// swapPaths returns an error: only Linux exchanges two paths at once.
func swapPaths(string, string) error { return errors.ErrUnsupported }
