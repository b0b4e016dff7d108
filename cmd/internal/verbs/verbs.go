// SPDX-License-Identifier: Apache-2.0

// Package verbs is the command line of dragoman: the root command and its groups of verbs. A group is a
// package below it, with a file for each verb: author needs files alone, ship also registries of OCI
// artifacts, and plane a control plane. What the groups share is in verb, and the form in which bundles
// ship, with the flags for registries, in shipped. A group knows no other one.
package verbs

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/author"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/plane"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/ship"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/cmd/internal/version"
)

// NewCommand returns the command with all its verbs.
func NewCommand(streams verb.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dragoman",
		Short: "Evaluate and test scripts that interpret Kubernetes objects, and check policies",
		Long: `dragoman evaluates and tests scripts that interpret Kubernetes objects, and checks the
objects that the control plane reads, with the engine of the control plane and without a
cluster. It also builds, signs and ships bundles of scripts: push and pull, and inspect and verify
where they are given a reference, ask a registry of OCI artifacts. And it shows what became of an
object on a control plane, what failovers did and would do, and brings bundles there.

Exit codes: 0 good; 1 it found something wrong in what it was given: a script that
fails, a case that does not pass, a policy or a bundle that is not valid, an object that
is not well everywhere; 2 it could not run, such
as for a flag or a file that is not there; 3 nothing ran.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	if isPlugin(os.Args[0]) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl dragoman"}
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	version.SetFlag(root)
	root.SetHelpCommandGroupID(groupProgram)
	root.SetCompletionCommandGroupID(groupProgram)
	addGroup(root, cobra.Group{ID: groupAuthor, Title: "Write and test scripts:"}, author.Commands(streams, plane.ReadLive))
	addGroup(root, cobra.Group{ID: groupShip, Title: "Ship bundles:"}, ship.Commands(streams))
	addGroup(root, cobra.Group{ID: groupPlane, Title: "Work with a control plane:"}, plane.Commands(streams))
	addGroup(root, cobra.Group{ID: groupProgram, Title: "About this program:"}, []*cobra.Command{newVersionCommand(streams)})
	verb.AddCompletions(root)
	return root
}

// The groups of the help.
const (
	groupAuthor  = "author"
	groupShip    = "ship"
	groupPlane   = "plane"
	groupProgram = "program"
)

// addGroup adds verbs as a group of the help.
func addGroup(root *cobra.Command, group cobra.Group, verbs []*cobra.Command) {
	root.AddGroup(&group)
	for _, c := range verbs {
		c.GroupID = group.ID
	}
	root.AddCommand(verbs...)
}

// isPlugin reports whether the program was started by kubectl, under the name of a plugin.
func isPlugin(program string) bool {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	return name == "kubectl-dragoman"
}
