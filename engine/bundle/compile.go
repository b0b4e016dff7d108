// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// begin prepares the compilation of the scripts by a loader.
func (d *parsedBundle) begin(l Loader) {
	b := d.bundle
	b.compiler = l.Compiler
	b.Source = engine.RuleSet{Name: b.Name, Kinds: map[schema.GroupVersionKind]engine.Rules{}}
	d.shared = engine.NewModules(d.modules)
}

// compileNext compiles the next module or script of the bundle to its rules, and reports
// whether there is more to do. All errors are returned at the end; that of a module once,
// however many scripts require it.
func (d *parsedBundle) compileNext(l Loader) (more bool, err error) {
	if d.names == nil {
		d.begin(l)
		d.names = slices.AppendSeq([]string{}, maps.Keys(d.modules))
		slices.Sort(d.names)
	}
	switch n := d.compiled - len(d.names); {
	case n < 0:
		d.errs.add(d.compileModule(l, d.names[d.compiled]))
	case n < len(d.scripts):
		d.errs.add(d.compileScript(l, d.scripts[n]))
	default:
		d.errs.add(d.unused())
		return false, d.errs.join()
	}
	d.compiled++
	return true, nil
}

// compileScript compiles a script, and adds it to the rules of its kinds.
func (d *parsedBundle) compileScript(l Loader, s scriptFile) error {
	b := d.bundle
	rule := &engine.Rule{Origin: "bundle " + b.Name, Limits: b.Limits, Params: d.params, Expression: s.expression}
	if s.function != nil {
		rule.Function = s.function.Name
	}
	compile := l.Compiler.Lua
	if s.expression {
		compile = l.Compiler.CEL
	}
	var err error
	if rule.Program, err = compile(d.unit(l, s)); err != nil {
		return s.locate(err)
	}
	for _, kind := range s.versions(b) {
		if b.Source.Kinds[kind] == nil {
			b.Source.Kinds[kind] = engine.Rules{}
		}
		b.Source.Kinds[kind][s.operation.Name] = ofKind(rule, b.related(kind.Kind, s.operation.Name), b.NoWorkloads[kind])
	}
	return nil
}

// ofKind returns a rule with what the manifest says of a kind: the related objects that it sees,
// and whether its objects run nothing; the rule itself where that is nothing.
func ofKind(rule *engine.Rule, related []engine.Related, noWorkload bool) *engine.Rule {
	if len(related) == 0 && !noWorkload {
		return rule
	}
	own := *rule
	own.Related, own.NoWorkload = related, noWorkload
	return &own
}

// mainGas is what the main chunk of a script or a module may take where it is compiled:
// it defines functions, and makes tables.
const mainGas = 50_000

func (d *parsedBundle) unit(l Loader, s scriptFile) engine.Script {
	u := engine.Script{
		File: s.path, Text: s.text, Operation: s.operation.Name, Limits: d.bundle.Limits, Params: d.params,
		Modules: d.shared, Strict: true, Coverage: l.Coverage, Recording: l.Recording,
	}
	u.Limits.Gas = script.Limits{Gas: mainGas}.AtMost(u.Limits).Gas
	if s.function != nil {
		u.Module, u.Function = s.function.Module, s.function.Name
	}
	return u
}

// compileModule compiles a module by itself, so that its errors are reported also where
// no script requires it. The program is the one that mappings use; while d keeps it, it is
// not compiled again.
func (d *parsedBundle) compileModule(l Loader, name string) error {
	l.Coverage, l.Recording = nil, nil
	u := d.unit(l, scriptFile{path: d.modules[name].File, text: d.modules[name].Text})
	u.Module = name
	program, err := l.Compiler.Lua(u)
	d.programs = append(d.programs, program)
	return err
}

// required finds the modules that a text requires. The names are constants, as the
// compiler requires.
var required = regexp.MustCompile(`\brequire\s*\(?\s*(?:"|'|\[\[)(` + libDir + `\.\w+)`)

// unused returns an error for each module that no script requires, directly or through
// others, and no mapping names.
func (d *parsedBundle) unused() error {
	seen := map[string]bool{}
	var follow func(text string)
	follow = func(text string) {
		for _, m := range required.FindAllStringSubmatch(text, -1) {
			if name := m[1]; !seen[name] {
				seen[name] = true
				follow(d.modules[name].Text)
			}
		}
	}
	for _, s := range d.scripts {
		switch {
		case s.function == nil:
			follow(s.text)
		case !seen[s.function.Module]:
			seen[s.function.Module] = true
			follow(s.text)
		}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(d.modules)) {
		if !seen[name] {
			errs = append(errs, wrong(d.modules[name].File, "not required by any script"))
		}
	}
	return errors.Join(errs...)
}

// distinct collects errors, each once: those of scripts are compared by their own
// message, without what wraps them.
type distinct struct {
	problems yamldoc.Problems
	seen     map[string]bool
}

func (d *distinct) add(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	var failure *script.Error
	if errors.As(err, &failure) {
		text = failure.Error()
	}
	if d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.problems.Add(err)
}

func (d *distinct) join() error { return d.problems.Err() }
