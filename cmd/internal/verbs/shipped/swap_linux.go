// SPDX-License-Identifier: Apache-2.0

package shipped

import "golang.org/x/sys/unix"

// swapPaths exchanges two paths at once. Some file systems cannot.
func swapPaths(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
