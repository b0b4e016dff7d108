// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Content is a bundle as a source provides it.
type Content struct {
	// Dir is the folder within Files, and the name of the bundle within its source.
	Dir string
	// Origin describes to people where it came from.
	Origin string
	// Revision is what function Revision returns for Files, which must not change
	// afterwards.
	Revision string
	Files    fs.FS
	// Parameters are values of the parameters of the bundle; nil for those of Options.Parameters.
	// The same files with other values are tried again.
	Parameters map[string]string
	// Err is why the source could not read it; Revision and Files are not set then.
	Err error
}

// parameters returns the values as a text by which they are compared.
func (c Content) parameters() string {
	if len(c.Parameters) == 0 {
		return ""
	}
	return fmt.Sprint(c.Parameters) // sorted by key
}

// Stage is the last stage that a revision of a bundle reached. "" means that it could not
// be read.
type Stage string

// The stages, in their order.
const (
	// Fetched means that its files were read.
	Fetched Stage = "Fetched"
	// Verified means that the files are those of the revision, the manifest is well
	// formed, and every file is allowed where it is.
	Verified Stage = "Verified"
	// Compiled means that all scripts compile.
	Compiled Stage = "Compiled"
	// Checked means that no other bundle answers the same, and that its cases pass.
	Checked Stage = "Checked"
	// SmokeTested means that each script ends on an empty object.
	SmokeTested Stage = "SmokeTested"
	// Active means that its scripts answer.
	Active Stage = "Active"
)

// Status is the state of one bundle.
type Status struct {
	// Dir and Origin are those of its content.
	Dir    string
	Origin string
	// Name is that of the active manifest; "" where none is active.
	Name string
	// Stage is the last stage that the wanted revision reached.
	Stage Stage
	// Wanted is the revision that was applied last, Active the one whose scripts answer.
	// They differ while the wanted one is refused; "" means none.
	Wanted string
	Active string
	// Err is why the wanted revision is not active, in at most 4 KiB; nil where it is, or
	// where it is still being tried.
	Err error
	// Since is when any of the above changed last.
	Since time.Time

	// wantedParameters and activeParameters are those of the contents of Wanted and Active.
	wantedParameters, activeParameters string
}

// decision is what to do about a content.
type decision int

const (
	// keep: it was tried before, and is active or was refused.
	keep decision = iota
	// refuse: it could not be read.
	refuse
	// restore: it is the active one again, after another that was refused.
	restore
	// attempt: it is new.
	attempt
)

// decide returns what to do about a content, by the status of its bundle.
func decide(now Status, c Content) decision {
	switch {
	case c.Err != nil && now.Err != nil && now.Wanted == "" && text(now.Err) == text(yamldoc.Summary(c.Err)):
		return keep
	case c.Err != nil:
		return refuse
	case c.Revision == now.Wanted && c.parameters() == now.wantedParameters:
		return keep
	case c.Revision == now.Active && c.parameters() == now.activeParameters:
		return restore
	}
	return attempt
}
