// SPDX-License-Identifier: Apache-2.0

//go:build unix

package watch

import (
	"fmt"
	"os"
	"syscall"
)

// identity returns which file of the system it is, so that a link that leads to another
// file of the same size and time is noticed.
func identity(info os.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(s.Dev, s.Ino)
	}
	return ""
}
