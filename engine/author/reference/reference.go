// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// Page is a reference for authors in one form. It is generated from the tables that
// the engine uses.
type Page struct {
	// Form is text, json, lua or cel.
	Form  string
	Write func(w io.Writer) error
}

// Functions returns the reference of the functions that scripts call as
// kube.NAME: for people, as JSON, as a definition file for the Lua language server (also
// of params and of the functions that scripts define), and as declarations of CEL.
func Functions() []Page {
	return []Page{
		{"text", func(w io.Writer) error { return functionsText(w, builtin.Functions()) }},
		{"json", func(w io.Writer) error { return writeJSON(w, functionEntries(builtin.Functions())) }},
		{"lua", func(w io.Writer) error { return luaDefinitions(w, builtin.Functions(), engine.Operations()) }},
		{"cel", func(w io.Writer) error { return celDeclarations(w, builtin.Functions()) }},
	}
}

// Operations returns the reference of the operations that a script can answer:
// for people and as JSON.
func Operations() []Page {
	return []Page{
		{"text", func(w io.Writer) error { return operationsText(w, engine.Operations()) }},
		{"json", func(w io.Writer) error { return writeJSON(w, operationEntries(engine.Operations())) }},
	}
}

// wrapped breaks text into lines of at most 80 characters, each behind prefix and a
// space.
func wrapped(prefix, text string) string {
	var b strings.Builder
	line := prefix
	for _, word := range strings.Fields(text) {
		if line != prefix && len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}

// EngineHash identifies what scripts are asked and what they may call, as "sha256:" and
// hexadecimal digits: two programs with the same hash take the same scripts.
func EngineHash() (string, error) {
	hash := sha256.New()
	for _, r := range append(Functions(), Operations()...) {
		if r.Form != "json" {
			continue
		}
		if err := r.Write(hash); err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}
