// SPDX-License-Identifier: Apache-2.0

package fleet

import "syscall"

// childAttr puts a child into a process group of its own, so that a Ctrl-C in
// the terminal reaches the parent alone, and has the kernel kill it when its
// parent dies.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
