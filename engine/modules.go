// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// Module is a chunk that scripts require.
type Module struct {
	File string
	Text string
}

// Modules are the chunks that the scripts of a bundle can require, by their names, such
// as lib.memory. A compiler compiles each once for all scripts with the same modules; it
// keeps them while a program of such a script is in use, or the Modules that it got. They
// are safe for many goroutines.
type Modules struct {
	files   map[string]Module
	content fingerprint

	mu   sync.Mutex
	held map[*lua.Modules]bool
}

// NewModules returns the modules of files.
func NewModules(files map[string]Module) *Modules {
	m := &Modules{files: maps.Clone(files), held: map[*lua.Modules]bool{}}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write(h, name, files[name].File, files[name].Text)
	}
	h.Sum(m.content[:0])
	return m
}

// fingerprint identifies the content of the modules.
func (m *Modules) fingerprint() string {
	if m == nil {
		return ""
	}
	return string(m.content[:])
}

// hold keeps what a compiler made of the modules.
func (m *Modules) hold(compiled *lua.Modules) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[compiled] = true
}

// modules returns the modules of a script in the form of package lua: the same for all
// scripts for which they compile to the same.
func (c *Compiler) modules(u Script) *lua.Modules {
	if u.Modules == nil {
		return nil
	}
	h := sha256.New()
	params := slices.Sorted(maps.Keys(u.Params))
	write(h, append(params, u.Modules.fingerprint(), fmt.Sprintf("%v %d %p %p", u.Strict, u.Limits.Source, u.Coverage, u.Recording))...)
	var of fingerprint
	h.Sum(of[:0])
	compiled, _ := c.shared.get(of, func() (*lua.Modules, error) {
		sources := make(map[string]lua.Script, len(u.Modules.files))
		for name, m := range u.Modules.files {
			sources[name] = lua.Script{File: m.File, Text: m.Text, Strict: u.Strict, Params: params, Coverage: u.Coverage, Recording: u.Recording}
		}
		return lua.NewModules(sources, u.Limits), nil
	})
	u.Modules.hold(compiled)
	return compiled
}
