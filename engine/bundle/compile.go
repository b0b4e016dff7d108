// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// compile makes the source of the bundle. All errors are given at once, that of a
// module once, however many scripts require it.
func (d *parsedBundle) compile(l Loader) error {
	b := d.bundle
	b.Source = engine.RuleSet{Name: b.Name, Kinds: map[schema.GroupVersionKind]engine.Rules{}}
	errs := distinct{}
	for _, name := range slices.Sorted(maps.Keys(d.modules)) {
		errs.add(d.compileModule(l, name))
	}
	for _, s := range d.scripts {
		rule := &engine.Rule{Origin: "bundle " + b.Name, Limits: b.Limits, Params: d.params, Expression: s.expression}
		compile := l.Compiler.Lua
		if s.expression {
			compile = l.Compiler.CEL
		}
		var err error
		if rule.Program, err = compile(d.unit(l, s)); err != nil {
			errs.add(err)
			continue
		}
		for _, kind := range s.kinds(b) {
			if b.Source.Kinds[kind] == nil {
				b.Source.Kinds[kind] = engine.Rules{}
			}
			b.Source.Kinds[kind][s.operation.Name] = rule
		}
	}
	errs.add(d.unused())
	return errs.join()
}

func (d *parsedBundle) unit(l Loader, s scriptFile) engine.Script {
	return engine.Script{
		File: s.path, Text: s.text, Operation: s.operation.Name, Limits: d.bundle.Limits, Params: d.params,
		Modules: d.modules, Strict: true, Coverage: l.Coverage,
	}
}

// compileModule compiles a module for itself, so that one whose script does not
// compile is told of all the same.
func (d *parsedBundle) compileModule(l Loader, name string) error {
	operation := engine.Operations()[0]
	text := "require(\"" + name + "\")\nfunction " + operation.Entry + "() end\n"
	module := scriptFile{path: d.modules[name].File, text: text, operation: operation}
	l.Coverage = nil
	_, err := l.Compiler.Lua(d.unit(l, module))
	return err
}

// required finds the modules that a text requires. The names are constants, as the
// compiler wants them.
var required = regexp.MustCompile(`\brequire\s*\(?\s*(?:"|'|\[\[)(` + LibDir + `\.\w+)`)

// unused reports which modules no script requires, neither itself nor through others.
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
		follow(s.text)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(d.modules)) {
		if !seen[name] {
			errs = append(errs, wrong(d.modules[name].File, "not required by any script"))
		}
	}
	return errors.Join(errs...)
}

// smoke runs each script once on an empty object of each of its kinds.
func (d *parsedBundle) smoke(c *engine.Compiler) error {
	errs := distinct{}
	for _, s := range d.scripts {
		for _, kind := range s.kinds(d.bundle) {
			if err := c.Smoke(kind, s.operation.Name, d.bundle.Source.Kinds[kind][s.operation.Name]); err != nil {
				errs.add(err)
				break
			}
		}
	}
	return errs.join()
}

// distinct collects errors, each once: those of scripts by what they say without
// regard to what they are wrapped in.
type distinct struct {
	errs []error
	seen map[string]bool
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
	d.errs = append(d.errs, err)
}

func (d *distinct) join() error { return errors.Join(d.errs...) }
