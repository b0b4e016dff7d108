// SPDX-License-Identifier: Apache-2.0

package main

import "golang.org/x/sys/unix"

// swap exchanges two paths at once. Some file systems cannot.
func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
