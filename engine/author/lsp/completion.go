// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/reference"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// What stands before the cursor where there are completions; the last group is what was typed of
// them.
var (
	kubeAhead     = regexp.MustCompile(`\bkube\.(\w*)$`)
	paramsAhead   = regexp.MustCompile(`\bparams\.(\w*)$`)
	libraryAhead  = regexp.MustCompile(`\b(string|table|math|os)\.(\w*)$`)
	requireAhead  = regexp.MustCompile(`\brequire\s*\(?\s*["']([\w.]*)$`)
	functionAhead = regexp.MustCompile(`^\s*function\s+(\w*)$`)
	textAhead     = regexp.MustCompile(`\bkube\.\w+\s*\(\s*(` + pathPattern + `)\s*,\s*["']([\w.]*\.)?(\w*)$`)
	fieldAhead    = regexp.MustCompile(`(` + pathPattern + `)\s*\.\s*(\w*)$`)
)

// completion returns what can stand at the cursor; nil where nothing is known of it.
func (s *Server) completion(c cursor) *completionList {
	var items []completionItem
	switch language := c.script(); language {
	case luaLanguage, celLanguage:
		items = s.inScript(c, language)
	case otherLanguage:
		items = s.inYAML(c)
	}
	if len(items) == 0 {
		return nil
	}
	return &completionList{Items: items}
}

// inScript returns the completions in a script.
func (s *Server) inScript(c cursor, language language) []completionItem {
	before := c.before()
	if m := textAhead.FindStringSubmatch(before); m != nil {
		return c.fieldItems(s.names(c).path(m[1]+"."+m[2]), m[3])
	}
	if m := kubeAhead.FindStringSubmatch(before); m != nil {
		return c.symbolItems(symbols(language), m[1])
	}
	if m := paramsAhead.FindStringSubmatch(before); m != nil {
		return c.parameterItems(m[1])
	}
	if language == luaLanguage {
		if items, found := c.luaItems(before); found {
			return items
		}
	}
	if m := fieldAhead.FindStringSubmatch(before); m != nil {
		return c.fieldItems(s.names(c).path(m[1]), m[2])
	}
	return nil
}

// luaItems returns the completions that only Lua has.
func (c cursor) luaItems(before string) (items []completionItem, found bool) {
	if m := libraryAhead.FindStringSubmatch(before); m != nil {
		for _, name := range reference.LuaFunctions() {
			if short, is := strings.CutPrefix(name, m[1]+"."); is {
				items = append(items, c.item(short, functionItem, name, "", m[2]))
			}
		}
		return items, true
	}
	if m := requireAhead.FindStringSubmatch(before); m != nil {
		for _, name := range c.modules() {
			items = append(items, c.item(name, moduleItem, "module of the bundle", "", m[1]))
		}
		return items, true
	}
	if m := functionAhead.FindStringSubmatch(before); m != nil {
		return c.entryItems(m[1]), true
	}
	return nil, false
}

// symbols returns the functions of kube in a language.
func symbols(language language) []reference.Symbol {
	if language == celLanguage {
		return reference.CELSymbols()
	}
	return reference.LuaSymbols()
}

// item returns a completion that replaces what was typed of it.
func (c cursor) item(label string, kind int, detail, doc, typed string) completionItem {
	item := completionItem{Label: label, Kind: kind, Detail: detail, TextEdit: &textEdit{c.within(c.offset-len(typed), c.offset), label}}
	if doc != "" {
		text := plainText(doc)
		item.Documentation = &text
	}
	return item
}

func (c cursor) symbolItems(all []reference.Symbol, typed string) []completionItem {
	var items []completionItem
	for _, f := range all {
		items = append(items, c.item(strings.TrimPrefix(f.Name, "kube."), functionItem, f.Signature, f.Doc, typed))
	}
	return items
}

func (c cursor) fieldItems(v value, typed string) []completionItem {
	var items []completionItem
	for _, name := range v.fields() {
		kind, doc := v.field(name).describe()
		items = append(items, c.item(name, fieldItem, kind, doc, typed))
	}
	return items
}

// parameterItems returns the parameters of the bundle.
func (c cursor) parameterItems(typed string) []completionItem {
	var items []completionItem
	for _, p := range c.manifest().Parameters {
		items = append(items, c.item(p.Name, fieldItem, parameterText(p), p.Description, typed))
	}
	return items
}

// parameterText returns the values of a parameter.
func parameterText(p bundle.Parameter) string {
	if len(p.Values) == 0 {
		return fmt.Sprintf("parameter, by default %q", p.Default)
	}
	return fmt.Sprintf("parameter: %s; by default %s", strings.Join(p.Values, ", "), p.Default)
}

// entryItems returns the functions that the engine calls in the document.
func (c cursor) entryItems(typed string) []completionItem {
	var items []completionItem
	for _, e := range c.entries() {
		if strings.HasPrefix(c.inBundle(), "lib/") {
			continue // its functions have names before them
		}
		item := c.item(e.name, functionItem, entryText(e.op), e.op.Doc, typed)
		item.TextEdit.NewText = fmt.Sprintf("%s(%s)", e.name, strings.Join(e.op.ParamNames(), ", "))
		items = append(items, item)
	}
	return items
}

// entryText returns the function that a script defines for an operation.
func entryText(op engine.Operation) string {
	return fmt.Sprintf("function %s(%s) -> %s", op.Entry, strings.Join(op.ParamNames(), ", "), strings.Join(op.ResultNames(), ", "))
}

// modules returns the modules of the bundle, by the names that scripts require them by.
func (c cursor) modules() []string {
	if c.unit.bundleDir() == "" {
		return nil
	}
	entries, _ := fs.ReadDir(c.files, path.Join(c.unit.bundleDir(), "lib")) // a bundle may have none
	var all []string
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), ".lua"); is && !e.IsDir() && !bundle.Hidden(name) {
			all = append(all, "lib."+name)
		}
	}
	slices.Sort(all)
	return all
}
