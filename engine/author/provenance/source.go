// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Layer is where a rule set comes from. Of two that answer the same, the one of the layer that
// stands first here is asked.
type Layer string

const (
	// Customization is a ResourceInterpreterCustomization.
	Customization Layer = "customization"
	// Installed is a bundle that a ScriptBundle has, or a folder of the manager.
	Installed Layer = "installed bundle"
	// Embedded is a bundle of this program.
	Embedded Layer = "bundle of this program"
	// Scale are the generic rules for the scale subresource of a CRD.
	Scale Layer = "scale subresource"
	// Generic are the generic rules, which answer where no other script is about a kind.
	Generic Layer = "generic rules"
)

// Source is a rule set and where it comes from.
type Source struct {
	Layer Layer `json:"layer"`
	// Name is that of the bundle, of the customization, or of the CRD.
	Name string `json:"name"`
	// Version is that of the manifest of a bundle; "" for none.
	Version string `json:"version,omitempty"`
	// Revision is the hash over the files of an installed bundle; "" elsewhere.
	Revision string `json:"revision,omitempty"`
	// Generation is that of a customization of a control plane; 0 elsewhere.
	Generation int64 `json:"generation,omitempty"`
	// Place is the file or the folder that it was read from, or the object of the control plane
	// where that has another name; "" for what this program holds.
	Place string `json:"place,omitempty"`
}

// shortRevision is how many digits of a revision are printed.
const shortRevision = 12

// String returns the source for people, such as customization web (generation 3).
func (s Source) String() string {
	text := fmt.Sprintf("%s %s", s.Layer, s.Name)
	switch s.Layer {
	case Embedded:
		text = fmt.Sprintf("bundle %s of this program", s.Name)
	case Generic:
		text = string(Generic)
	case Scale:
		text = "the scale subresource of CRD " + s.Name
	}
	var details []string
	if s.Version != "" {
		details = append(details, "version "+s.Version)
	}
	if s.Revision != "" {
		details = append(details, "revision "+s.Revision[:min(shortRevision, len(s.Revision))])
	}
	if s.Generation > 0 {
		details = append(details, fmt.Sprintf("generation %d", s.Generation))
	}
	if s.Place != "" && s.Place != s.Name {
		details = append(details, s.Place)
	}
	for i, d := range details {
		if i == 0 {
			text += " (" + d
		} else {
			text += ", " + d
		}
	}
	if len(details) > 0 {
		text += ")"
	}
	return text
}

// Of returns the source of a bundle in a layer of the engine.
func Of(b *bundle.Bundle, layer engine.Layer) Source {
	s := Source{Layer: Installed, Name: b.Name, Version: b.Version}
	switch {
	case b.Name == bundle.Generic && layer == engine.Embedded:
		s.Layer = Generic
	case layer == engine.Embedded:
		s.Layer = Embedded
	}
	return s
}
