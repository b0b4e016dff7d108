// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/json"
	"io"

	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine"
)

// functionEntry is a function of kube in JSON.
type functionEntry struct {
	Name      string       `json:"name"`
	Signature string       `json:"signature"`
	Params    []paramEntry `json:"params"`
	Variadic  bool         `json:"variadic,omitempty"`
	Result    string       `json:"result"`
	Doc       string       `json:"doc"`
}

// paramEntry is a parameter in JSON.
type paramEntry struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
}

func functionEntries(functions []builtin.Function) []functionEntry {
	var all []functionEntry
	for _, f := range functions {
		e := functionEntry{Name: f.Name, Signature: f.Signature(), Variadic: f.Variadic, Result: f.Result, Doc: f.Doc}
		for _, p := range f.Params {
			e.Params = append(e.Params, paramEntry{p.Name, p.Type, p.Optional})
		}
		all = append(all, e)
	}
	return all
}

// operationEntry is an operation in JSON.
type operationEntry struct {
	Name    engine.Op `json:"name"`
	Field   string    `json:"field"`
	Entry   string    `json:"entry"`
	File    string    `json:"file"`
	Params  []string  `json:"params"`
	Results []string  `json:"results"`
	// Patch reports whether an expression is a merge patch on the first parameter.
	Patch bool   `json:"patch,omitempty"`
	Doc   string `json:"doc"`
}

func operationEntries(operations []engine.Operation) []operationEntry {
	var all []operationEntry
	for _, op := range operations {
		all = append(all, operationEntry{
			Name: op.Name, Field: op.Field, Entry: op.Entry, File: op.File,
			Params: op.ParamNames(), Results: op.ResultNames(), Patch: op.Patch, Doc: op.Doc,
		})
	}
	return all
}

// writeJSON writes a value as one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
