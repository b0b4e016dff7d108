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

// Build describes how a program was built.
type Build struct {
	// Version is that of the module, "(devel)" for one that was built from a clone.
	Version string `json:"version"`
	// Commit is that of the source tree, "unknown" for a binary that was not built in a clone, such as
	// that of a test.
	Commit string `json:"commit"`
	// Modified reports whether the source tree had changes beside the commit.
	Modified bool `json:"modified"`
	// Go is the toolchain, such as go1.26.8, and Platform what it built for, such as linux/amd64.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read returns how this program was built.
func Read() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b := describe(info)
	b.Go, b.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return b
}

// String returns text such as
//
//	v0.2.0 commit 9776af2b1c3d go1.26.8 linux/amd64
//
// The commit has -dirty where the tree had changes.
func String() string {
	b := Read()
	return fmt.Sprintf("%s %s %s", b, b.Go, b.Platform)
}

// String returns version and commit.
func (b Build) String() string {
	dirty := ""
	if b.Modified {
		dirty = "-dirty"
	}
	return fmt.Sprintf("%s commit %s%s", b.Version, b.Commit, dirty)
}

// describe returns version and commit.
func describe(info *debug.BuildInfo) Build {
	b := Build{Version: info.Main.Version, Commit: "unknown"}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
