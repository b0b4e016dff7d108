// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"time"
)

// Content is a bundle as a source of bundles, such as a folder, has it.
type Content struct {
	// Dir is the folder within Files, and the name of the bundle within its source.
	Dir string
	// Origin is where it came from, for people.
	Origin string
	// Revision is what the function Revision returns for Files, which must not change
	// any more.
	Revision string
	Files    fs.FS
	// Err is why the source could not read it; then it has neither Revision nor Files.
	Err error
}

// Stage is how far a revision of a bundle came. "" means that it was not even read.
type Stage string

// The stages, in their order.
const (
	// Fetched means that its files were read.
	Fetched Stage = "Fetched"
	// Verified means that the files are those of the revision, that the manifest is
	// well formed, and that every file has its place.
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

// Status is what became of one bundle.
type Status struct {
	// Dir and Origin are those of its content.
	Dir    string
	Origin string
	// Name is that of the active manifest; "" where none is active.
	Name string
	// Stage is how far the wanted revision came.
	Stage Stage
	// Wanted is the revision that was given last, Active the one whose scripts answer.
	// They differ while the wanted one is refused; "" means none.
	Wanted string
	Active string
	// Err is why the wanted revision is not active; nil where it is.
	Err error
	// Since is when any of the above changed last.
	Since time.Time
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

// decide reports what to do about a content, by the status of its bundle.
func decide(now Status, c Content) decision {
	switch {
	case c.Err != nil && now.Err != nil && now.Wanted == "" && now.Err.Error() == c.Err.Error():
		return keep
	case c.Err != nil:
		return refuse
	case c.Revision == now.Wanted:
		return keep
	case c.Revision == now.Active:
		return restore
	}
	return attempt
}
