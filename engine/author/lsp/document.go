// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

// language is what a document is written in.
type language int

const (
	otherLanguage language = iota
	luaLanguage
	celLanguage
	yamlLanguage
)

// languageOf returns the language of a document by its name, or by what the editor calls it where
// the name has no ending.
func languageOf(name, id string) language {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if !hasFile(name) || ending == "" {
		ending = strings.ToLower(id)
	}
	switch ending {
	case "lua":
		return luaLanguage
	case "cel":
		return celLanguage
	case "yaml", "yml", "json":
		return yamlLanguage
	}
	return otherLanguage
}

// document is an open document. It is immutable: each change makes another one.
type document struct {
	// uri is as the editor writes it.
	uri, path string
	language  language
	// version is nil where the editor has none.
	version *int
	text    string
	unit    unit
}

func (s *Server) didOpen(params json.RawMessage) error {
	var p documentParams
	if err := decode(params, &p); err != nil {
		return err
	}
	if p.TextDocument.URI == "" {
		return errors.New("the document has no uri")
	}
	name := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(&document{
		uri: p.TextDocument.URI, path: name, language: languageOf(name, p.TextDocument.LanguageID),
		version: p.TextDocument.Version, text: p.TextDocument.Text,
	})
	return nil
}

func (s *Server) didChange(params json.RawMessage) error {
	var p changeParams
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	changed := *d
	changed.version = p.TextDocument.Version
	if changed.text, err = applied(d.text, p.ContentChanges); err != nil {
		return fmt.Errorf("%s: %w", d.uri, err)
	}
	s.put(&changed)
	return nil
}

func (s *Server) didSave(params json.RawMessage) error {
	var p documentParams
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	s.put(d)
	return nil
}

func (s *Server) didClose(params json.RawMessage) error {
	var p documentParams
	if err := decode(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return err
	}
	delete(s.documents, d.path)
	s.refresh()
	s.schedule(d.unit)
	if d.makesHome() {
		s.assignAll()
	}
	return nil
}

// didChangeFiles checks again all units with open documents: files beside them changed.
func (s *Server) didChangeFiles(json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	for _, d := range s.documents {
		s.schedule(d.unit)
	}
	s.assignAll()
	return nil
}

// open returns an open document.
func (s *Server) open(uri string) (*document, error) {
	d := s.documents[pathOf(uri)]
	if d == nil {
		return nil, fmt.Errorf("the document %.200q is not open", uri)
	}
	return d, nil
}

// put takes a document in its newest form, and has its unit checked.
func (s *Server) put(d *document) {
	before := s.documents[d.path]
	s.documents[d.path] = d
	s.refresh()
	switch {
	case d.makesHome() || before != nil && before.makesHome():
		s.assignAll()
	case before == nil || before.text == d.text: // it was opened or saved; what is beside it may be another one
		s.move(d)
	}
	s.schedule(s.documents[d.path].unit)
}

// refresh has the files read again, with the texts of the open documents in their place.
func (s *Server) refresh() {
	texts := map[string]string{}
	for name, d := range s.documents {
		texts[name] = d.text
	}
	s.work.tree = source.New(s.Files).With(texts)
}

// assignAll finds the units of all documents.
func (s *Server) assignAll() {
	for _, name := range slices.Sorted(maps.Keys(s.documents)) {
		s.move(s.documents[name])
	}
}

// move has a document belong to its unit. One that belonged to another one has both checked.
func (s *Server) move(d *document) {
	u := unitOf(s.work.tree, d)
	if u == d.unit {
		return
	}
	moved := *d
	moved.unit = u
	s.documents[d.path] = &moved
	s.schedule(d.unit)
	s.schedule(u)
}
