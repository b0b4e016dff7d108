// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package fleet

import "syscall"

// childAttr puts a child into a process group of its own, so that a Ctrl-C in
// the terminal reaches the parent alone. Without Linux's parent-death signal a
// child survives a parent that is killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
