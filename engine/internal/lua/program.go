// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// program is a compiled chunk with the modules that it requires. It implements
// script.Program.
type program struct {
	*code
	environment *environment
	// module is the name of the module that the chunk is, or "".
	module string
	// sources are those of the chunk and of what it requires, the chunk first.
	sources  []*Script
	required []*module
	// first is the first slot of the chunk's own globals, end the one after all slots.
	first, end int
	// params reports whether the program reads params.
	params bool
	// recording is told what runs do; nil records nothing.
	recording *script.Recording
}

// newProgram compiles src, and what it requires.
func newProgram(src Script, limit int) (*program, *script.Error) {
	if src.Modules.has(src) {
		return src.Modules.get(src.Module).program()
	}
	u := newUnit(&src, limit, src.Modules.get)
	code, failed := u.compile(func() {})
	if failed != nil {
		return nil, failed
	}
	p := &program{code: code, module: src.Module, first: u.first, end: u.end(), params: u.params}
	return p.link(&src, u.required.list), nil
}

// program returns the program that a module is by itself.
func (m *module) program() (*program, *script.Error) {
	if m.failed != nil {
		return nil, m.failure()
	}
	p := &program{code: m.code, module: m.source.Module, end: m.end, params: m.params}
	return p.link(&m.source, m.required), nil
}

// link completes a program with the modules that it requires.
func (p *program) link(src *Script, required []*module) *program {
	p.environment, p.required, p.recording = src.environment(), required, src.Recording
	p.sources = []*Script{src}
	for _, m := range required {
		p.sources = append(p.sources, &m.source)
		p.params = p.params || m.params
	}
	return p
}

// fresh returns the globals of a run that begins, in the memory of earlier ones, which is
// empty.
func (p *program) fresh(globals []any) []any {
	if cap(globals) < p.end || p.initial != nil {
		return p.filled(globals)
	}
	return globals[:p.end]
}

// filled is fresh for a program whose globals have values before it runs, or are too many
// for the memory.
func (p *program) filled(globals []any) []any {
	if cap(globals) < p.end {
		globals = make([]any, p.end)
	}
	globals = globals[:p.end]
	copy(globals[p.first:], p.initial)
	return globals
}

// named is a global and its slot.
type named struct {
	name string
	slot int
}

// compare orders a global by its name.
func (g named) compare(name string) int { return strings.Compare(g.name, name) }

// Run executes the chunk in fresh globals, calls the global function c.Entry
// with c.Args, and hands its results to t; of a module it calls the function that the
// table of the module has under that name. With an empty Entry the results are
// those of the chunk itself.
//
// An error of t is returned as it is. Any other is a *script.Error.
func (p *program) Run(c *script.Call, t script.Decoder) (script.Usage, error) {
	vm := machines.Get().(*machine)
	vm.begin(p, c)
	if p.recording != nil {
		vm.watch = newWatch(vm, p.recording)
	}
	ok := vm.execute(t)
	if p.recording != nil {
		vm.watch.attribute()
		vm.watch = nil
	}
	usage, err := vm.usage(), vm.err
	if err != nil {
		err = script.Finish(err, vm.place())
	}
	if ok {
		vm.reset()
		machines.Put(vm)
	}
	return usage, err
}

// Size returns the bytes that the program keeps, at most.
func (p *program) Size() int64 {
	var size int64
	for _, part := range p.Parts() {
		size += part.Size
	}
	return size
}

// Parts returns the chunk and the modules that it requires, which other programs may
// require too.
func (p *program) Parts() []script.Part {
	parts := []script.Part{{Key: p.code, Size: p.code.size}}
	for _, m := range p.required {
		parts = append(parts, script.Part{Key: m.code, Size: m.code.size})
	}
	return parts
}

// execute runs the program of the call and leaves its error in vm.err. It reports
// whether the machine can be used again: not so after a defect of the engine.
func (vm *machine) execute(t script.Decoder) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			ok = vm.rescue(r)
		}
	}()
	p, c := vm.program, vm.call
	if p.params {
		vm.globals[paramsSlot] = vm.tables.ofMap(c.Params)
	}
	result := vm.declare(p.code, nil)
	if c.Entry != "" {
		entry, err := p.entry(vm, result, c.Entry)
		if err != nil {
			vm.err = err
			return true
		}
		vm.entry, _ = entry.(*function)
		for _, arg := range c.Args {
			vm.push(vm.wrap(arg))
		}
		result = vm.invoke(entry, 0, len(c.Args), nil)
	}
	vm.err = t.Decode(vm.taken(result), vm)
	return true
}

// place is where the function stands that the run called, for errors of its result.
func (vm *machine) place() script.Position {
	if vm.entry == nil {
		return script.Position{}
	}
	return script.Position{File: vm.entry.source.File, Line: vm.entry.line}
}

// taken returns the results of the last call, of which first is the first.
func (vm *machine) taken(first any) []any {
	switch vm.count {
	case 0:
		vm.results = vm.results[:0]
	case 1:
		vm.results = append(vm.results[:0], first)
	}
	return vm.results
}

// rescue turns a panic into the error of the run. It reports whether the machine
// can be used again.
func (vm *machine) rescue(r any) bool {
	if e, ok := r.(*failure); ok {
		vm.err = vm.errorOf(e)
		return true
	}
	e := script.Errorf(script.Internal, "the engine failed: %v", r)
	e.File, e.Line = vm.frame.source().File, vm.frame.line()
	e.Trace = vm.trace(e.Line)
	vm.err = e
	return false
}

// entry returns the function that the call names, after the chunk ran and returned
// result.
func (p *program) entry(vm *machine, result any, name string) (any, error) {
	if p.module != "" {
		return p.exported(result, name)
	}
	if i, known := p.find(name); known {
		switch fn := vm.globals[p.named[i].slot].(type) {
		case *function:
			return fn, nil
		case nil:
		default:
			return nil, p.fail(fmt.Sprintf("%s is a %s, not a function", name, typeName(fn)))
		}
	}
	return nil, p.undefined(vm, name)
}

// fewNamed is up to how many globals are compared one by one: a script has one or two.
const fewNamed = 8

// find returns the index of a name among the globals that have one.
func (p *program) find(name string) (i int, known bool) {
	if len(p.named) > fewNamed {
		return slices.BinarySearchFunc(p.named, name, named.compare)
	}
	for i := range p.named {
		if p.named[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// undefined is the error for a call of a function that the script does not
// have: it names those that it has.
func (p *program) undefined(vm *machine, name string) error {
	if slices.Contains(p.locals, name) {
		return p.fail(fmt.Sprintf("function %s is local to the script; it must be global to be called", name))
	}
	var defined []string
	for _, g := range p.named {
		if _, ok := vm.globals[g.slot].(*function); ok {
			defined = append(defined, g.name)
		}
	}
	message := fmt.Sprintf("function %s is not defined", name)
	switch near := script.Nearest(name, append(defined, p.locals...)); {
	case near != "":
		message += fmt.Sprintf("; did you mean %s?", near)
	case len(defined) > 0:
		message += "; the script defines " + strings.Join(defined, ", ")
	default:
		message += "; the script defines no global function"
	}
	return p.fail(message)
}

// exported returns a function of the table that the module returned.
func (p *program) exported(result any, name string) (any, error) {
	t, ok := result.(*table)
	if !ok {
		return nil, p.fail(fmt.Sprintf("module %s returns no table of functions", p.module))
	}
	if fn, ok := t.getField(name).(*function); ok {
		return fn, nil
	}
	if slices.Contains(p.locals, name) {
		return nil, p.fail(fmt.Sprintf("function %s is local to module %s; it must be a field of the table that the module returns", name, p.module))
	}
	var names []string
	for _, f := range t.fields {
		if _, ok := f.value.(*function); ok {
			names = append(names, f.key)
		}
	}
	slices.Sort(names)
	return nil, p.fail("module " + p.module + ": " + script.Unknown("function", name, names))
}

// file names the chunk of the program.
func (p *program) file() string { return p.sources[0].File }

// fail makes an error about the script as a whole.
func (p *program) fail(message string) error {
	return &script.Error{Code: script.Type, Position: script.Position{File: p.file()}, Message: message}
}
