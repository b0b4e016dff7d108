// SPDX-License-Identifier: Apache-2.0

package provenance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
)

// maxShown is how many characters of an answer stand in a line; the JSON form has all of it.
const maxShown = 120

// WriteText writes what is answered about an object for people: for each operation the answer, and
// below it the script that gave it and where.
func (o Object) WriteText(w io.Writer) error {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s)\n", o.Kind, name, o.APIVersion)
	if len(o.OtherVersions) > 0 {
		fmt.Fprintf(&b, "  scripts are about %s of %s, and not about this version\n", o.Kind, strings.Join(o.OtherVersions, " and "))
	}
	var without []string
	for _, a := range o.Operations {
		if len(a.By) == 0 && a.Error == nil {
			without = append(without, string(a.Operation))
			continue
		}
		a.text(&b)
	}
	if len(without) > 0 {
		fmt.Fprintf(&b, "  no script answers %s\n", strings.Join(without, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text writes an answer.
func (a Answer) text(b *strings.Builder) {
	fmt.Fprintf(b, "  %s: %s\n", a.Operation, a.result())
	for _, by := range a.By {
		fmt.Fprintf(b, "    by        %s\n", by.Source)
		fmt.Fprintf(b, "    script    %s, %d gas\n", by.place(a.Error), by.Gas)
	}
	if a.Assumed != "" {
		fmt.Fprintf(b, "    assumed   %s\n", a.Assumed)
	}
	for _, s := range a.NotAsked {
		fmt.Fprintf(b, "    not asked %s\n", s)
	}
}

// result returns the answer in a line.
func (a Answer) result() string {
	if a.Error != nil {
		return "error: " + firstLine(a.Error.Message)
	}
	op, err := engine.Describe(a.Operation)
	if err != nil {
		return ""
	}
	if a.Changes != nil {
		return "changes " + shown(string(a.Changes))
	}
	var all []string
	for _, r := range op.Results {
		value, has := a.Answer[r.Name]
		text, err := json.Marshal(value)
		if err != nil || r.Optional && !has {
			continue
		}
		all = append(all, r.Name+" "+shown(string(text)))
	}
	return strings.Join(all, ", ")
}

// shown returns the first characters of a text.
func shown(text string) string {
	if all := []rune(text); len(all) > maxShown {
		return string(all[:maxShown]) + "…"
	}
	return text
}

// place returns where a script was asked, and where it returned or failed.
func (by By) place(failure *Failure) string {
	var parts []string
	switch {
	case by.Entry != nil && by.Function != "":
		parts = append(parts, fmt.Sprintf("%s at %s", by.Function, by.Entry))
	case by.Entry != nil:
		parts = append(parts, "expression at "+by.Entry.String())
	case by.Function != "":
		parts = append(parts, by.Function)
	}
	switch {
	case failure != nil && by.Returned == nil && failure.At != nil:
		parts = append(parts, "failed at "+failure.At.String())
	case by.Returned != nil:
		parts = append(parts, "returned at "+by.Returned.String())
	case failure == nil:
		parts = append(parts, "returned at its end")
	}
	return strings.Join(parts, ", ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
