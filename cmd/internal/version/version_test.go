// SPDX-License-Identifier: Apache-2.0

package version

import (
	"bytes"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/spf13/cobra"
)

func TestDescribe(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "9776af2b1c3d4e5f60718293a4b5c6d7e8f90123"}
	for name, c := range map[string]struct {
		build debug.BuildInfo
		want  string
	}{
		"a release": {
			debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}, Settings: []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}}},
			"v0.2.0 commit 9776af2b1c3d",
		},
		"a tree with changes": {
			debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, revision}},
			"(devel) commit 9776af2b1c3d-dirty",
		},
		"no information": {debug.BuildInfo{}, "(devel) commit unknown"},
	} {
		if got := describe(&c.build).String(); got != c.want {
			t.Errorf("%s: got %q; want %q", name, got, c.want)
		}
	}
}

func TestSetFlagPrintsOneLine(t *testing.T) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "p", RunE: func(*cobra.Command, []string) error { return nil }}
	root.SetOut(&out)
	root.SetArgs([]string{"--version"})
	SetFlag(root)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`^p version \S+ commit \S+ go\S+ \w+/\w+\n$`); !want.MatchString(out.String()) {
		t.Errorf("got %q; want %s", out.String(), want)
	}
}
