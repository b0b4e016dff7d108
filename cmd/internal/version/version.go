// SPDX-License-Identifier: Apache-2.0

// Package version describes the build of a program: the version of the module, the
// commit and the toolchain. All of it comes from what the Go toolchain writes into the
// binary, so no flag of the linker is needed.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// SetFlag adds the flag --version to the root command of a program. It prints the name
// of the command, the word version and String.
func SetFlag(root *cobra.Command) {
	// Not with a template of our own: it would link text/template, which keeps the linker
	// from dropping methods, 8 MB of them.
	root.Version = String()
}

// String returns text such as
//
//	v0.2.0 commit 9776af2b1c3d go1.26.8 linux/amd64
//
// The commit is that of the source tree, with -dirty where the tree had changes; it is
// unknown for a binary that was not built in a clone, such as that of a test.
func String() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{}
	}
	return fmt.Sprintf("%s %s %s/%s", describe(build), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// describe returns version and commit.
func describe(build *debug.BuildInfo) string {
	version, commit := build.Main.Version, "unknown"
	if version == "" {
		version = "(devel)"
	}
	dirty := ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return fmt.Sprintf("%s commit %s%s", version, commit, dirty)
}
