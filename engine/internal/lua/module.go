// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/gopher-lua/ast"

	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// maxModules is how many modules a chunk may require, directly or through others.
	maxModules = 64
	// maxModuleSources is how many bytes these may have, in times of the largest source.
	maxModuleSources = 3
	// maxModuleSlots is how many globals all modules may have together: a run has room
	// for those of modules that were compiled before the ones that it needs.
	maxModuleSlots = 1 << 14
)

// Modules are the chunks that scripts can require beside the libraries. Each is compiled
// once, where a script first requires it, and shared by all programs of the scripts that
// have these Modules. It is safe for many goroutines.
type Modules struct {
	sources map[string]Script
	limit   int

	mu sync.Mutex
	// compiled are those that were required, by name; under names the ones that are
	// under way, outermost first.
	compiled map[string]*module
	under    []string
	// end is the slot after those of all that were compiled.
	end int
}

// NewModules returns the modules of sources, which are by their full names, such as
// lib.memory. Their fields Module and Modules are set here. Of limits only Source counts;
// zero takes the default.
func NewModules(sources map[string]Script, limits script.Limits) *Modules {
	m := &Modules{
		sources: make(map[string]Script, len(sources)), limit: limits.Or(script.DefaultLimits()).Source,
		compiled: map[string]*module{}, end: paramsSlot + 1,
	}
	for name, src := range sources {
		src.Module, src.Modules = name, m
		m.sources[name] = src
	}
	return m
}

// module is a chunk that others require. A run executes it at its first require,
// and keeps what it returns in a global without a name.
type module struct {
	*code
	source Script
	slot   int
	// end is the slot after those of the module and of what it requires.
	end int
	// required are the modules that it requires, directly or through others.
	required []*module
	// params reports whether the module reads params.
	params bool
	// done reports whether it was compiled, failed why it cannot be.
	done   bool
	failed *script.Error
}

// get returns a module, which has failed where it does not compile. It returns nil
// where there is none of that name.
func (m *Modules) get(name string) *module {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(name)
}

// find is get while the modules are locked.
func (m *Modules) find(name string) *module {
	if found, known := m.compiled[name]; known {
		return found
	}
	src, exists := m.sources[name]
	if !exists {
		return nil
	}
	made := &module{source: src}
	m.compiled[name] = made
	m.under = append(m.under, name)
	defer func() {
		m.under = m.under[:len(m.under)-1]
		made.done = true
		if made.code == nil && made.failed == nil {
			made.failed = script.Errorf(script.Internal, "%s: compilation stopped", src.File)
		}
	}()
	m.compile(made)
	return made
}

// compile compiles a module. Its slots are those after all others: two that one program
// requires have none in common.
func (m *Modules) compile(made *module) {
	if len(m.under) > maxModules {
		made.failed = made.source.fail(script.Position{}, fmt.Sprintf("modules require each other deeper than %d", maxModules))
		return
	}
	u := newUnit(&made.source, m.limit, m.find)
	code, failed := u.compile(func() {
		u.first = m.end
		made.slot = u.newGlobal()
	})
	if failed != nil {
		made.failed = failed
		return
	}
	if u.end() > maxModuleSlots {
		made.failed = made.source.fail(script.Position{}, fmt.Sprintf("the modules of the bundle have more than %d variables that their functions share", maxModuleSlots))
		return
	}
	made.code, made.required, made.params = code, u.required.list, u.params
	m.end = u.end()
	made.end = m.end
}

// failure returns why the module does not compile, for one of those that require it.
func (m *module) failure() *script.Error {
	e := *m.failed
	return &e
}

// cycle returns the modules under way from name on, and name again. It is only asked
// while one of them is compiled.
func (m *Modules) cycle(name string) string {
	cycle := slices.Clone(m.under[max(0, slices.Index(m.under, name)):])
	return strings.Join(append(cycle, name), ", ")
}

// names lists the modules.
func (m *Modules) names() []string {
	if m == nil {
		return nil
	}
	return slices.Collect(maps.Keys(m.sources))
}

// has reports whether src is one of the modules.
func (m *Modules) has(src Script) bool {
	if m == nil || src.Module == "" {
		return false
	}
	own, exists := m.sources[src.Module]
	return exists && own.File == src.File && own.Text == src.Text
}

// required are modules, each once.
type required struct {
	list  []*module
	seen  map[*module]bool
	bytes int
}

func (r *required) add(m *module) {
	if r.seen[m] {
		return
	}
	if r.seen == nil {
		r.seen = map[*module]bool{}
	}
	r.seen[m] = true
	r.list = append(r.list, m)
	r.bytes += len(m.source.Text)
}

// require compiles the modules that the chunk requires.
func (r *resolver) require() {
	for _, e := range r.requires {
		name := r.moduleName(e)
		if name == nil || r.environment.modules[name.Value] != nil {
			continue
		}
		if r.failed != nil {
			return
		}
		if m := r.module(name); m != nil {
			r.requireAll(m, e.Line())
		}
	}
}

// requireAll adds a module and what it requires.
func (r *resolver) requireAll(m *module, line int) {
	for _, other := range m.required {
		r.required.add(other)
	}
	r.required.add(m)
	r.first = max(r.first, m.end)
	if n := len(r.required.list); n > maxModules {
		r.fail(line, "the chunk requires more than %d modules, directly or through others", maxModules)
	}
	if most := maxModuleSources * r.limit; r.required.bytes > most {
		r.fail(line, "the modules that the chunk requires, directly or through others, have more than %d bytes", most)
	}
}

// moduleName returns the constant name that a call of require has, else nil.
func (r *resolver) moduleName(e *ast.FuncCallExpr) *ast.StringExpr {
	callee := e.Func.(*ast.IdentExpr)
	if len(e.Args) != 1 || !r.isConstant(callee, r.references[callee]) {
		return nil
	}
	name, _ := e.Args[0].(*ast.StringExpr)
	return name
}

// module finds the module of a name, and compiles it unless that is done already.
func (r *resolver) module(e *ast.StringExpr) *module {
	name := e.Value
	m := r.load(name)
	switch {
	case m == nil:
		r.failAt(e.Line(), name, "%s", script.Unknown("module", clip(name), r.known()))
	case m.failed != nil:
		r.unit.fail(m.failure())
	case !m.done:
		r.failAt(e.Line(), name, "modules require each other: %s", r.source.Modules.cycle(name))
	default:
		return m
	}
	return nil
}

// known lists what can be required, sorted.
func (u *unit) known() []string {
	names := slices.Collect(maps.Keys(u.environment.modules))
	names = append(names, u.source.Modules.names()...)
	slices.Sort(names)
	return names
}
