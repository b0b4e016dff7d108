// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Customized is a bundle in the form of customizations.
type Customized struct {
	// Objects are one for each kind and version, in the order of the manifest.
	Objects []*configv1alpha1.ResourceInterpreterCustomization
	// Compared is how many cases were asked in both forms, Changed the answers that are other ones.
	Compared int
	Changed  []*AnswerError
	// Notes are what the form does not keep though no answer changes, a line each.
	Notes []string
}

// Selection chooses scripts; its zero value all.
type Selection struct {
	// Kinds are names of kinds; case does not matter.
	Kinds      []string
	Operations []engine.Op
}

// has reports whether a script is chosen.
func (s Selection) has(kind string, op engine.Op) bool {
	isKind := func(k string) bool { return strings.EqualFold(k, kind) }
	return (len(s.Kinds) == 0 || slices.ContainsFunc(s.Kinds, isKind)) && (len(s.Operations) == 0 || slices.Contains(s.Operations, op))
}

// ErrNothing is returned where there is no script that was chosen.
var ErrNothing = errors.New("there is no script to migrate")

// Customizations returns the scripts of the bundle in dir as customizations, with the modules that they
// require and with params, [BUNDLE.]NAME=VALUE, for its parameters.
//
// The error joins what the form cannot say, such as objects that are related.
func Customizations(c *engine.Compiler, fsys fs.FS, dir string, params []string, of Selection) (*Customized, error) {
	loaded, err := bundle.Loader{Compiler: c}.Load(fsys, dir, nil)
	if err != nil {
		return nil, err
	}
	chosen, err := bundle.Choose([]*bundle.Bundle{loaded}, params)
	if err != nil {
		return nil, err
	}
	outline, err := bundle.ReadOutline(fsys, dir)
	if err != nil {
		return nil, err
	}
	w := &customizer{fsys: fsys, dir: dir, outline: outline, params: chosen[0].Values(), of: of}
	made, err := w.write()
	if err != nil {
		return nil, err
	}
	all, err := cases.InBundle(fsys, loaded)
	if err != nil {
		return nil, err
	}
	before, err := snapshotOf(engine.Embedded, chosen[0].Source)
	if err != nil {
		return nil, err
	}
	after, err := compiled(c, made.Objects)
	if err != nil {
		return nil, err
	}
	asked := askAll(before, all, of)
	made.Compared, made.Changed = len(asked), compare(asked, after)
	return made, nil
}

// compiled returns the answers of customizations.
func compiled(c *engine.Compiler, objects []*configv1alpha1.ResourceInterpreterCustomization) (engine.Snapshot, error) {
	var (
		sets []engine.RuleSet
		errs []error
	)
	for _, object := range objects {
		set, wrong := c.Customization(object)
		for _, err := range wrong {
			errs = append(errs, fmt.Errorf("%s: %w", object.Name, err))
		}
		sets = append(sets, set)
	}
	if err := errors.Join(errs...); err != nil {
		return engine.Snapshot{}, err
	}
	return snapshotOf(engine.Customizations, sets...)
}

// customizer writes the scripts of one bundle.
type customizer struct {
	fsys    fs.FS
	dir     string
	outline bundle.Outline
	params  map[string]string
	of      Selection
}

func (w *customizer) write() (*Customized, error) {
	manifest := path.Join(w.dir, bundle.ManifestFile)
	for _, r := range w.outline.Related {
		for _, kind := range r.Kinds {
			if w.of.has(kind, r.Operation.Name) {
				return nil, inexpressible(manifest, "spec.related: a customization sees no objects beside the one that is asked about, and %s of %s does", r.Operation.File, kind)
			}
		}
	}
	made := &Customized{}
	for _, p := range w.outline.Parameters {
		made.Notes = append(made.Notes, fmt.Sprintf("parameter %s is %q in all customizations", p.Name, w.params[p.Name]))
	}
	if w.outline.Limits != (script.Limits{}) {
		made.Notes = append(made.Notes, "the limits of the manifest are left out; those of the control plane hold")
	}
	for _, kind := range w.outline.Kinds {
		if strings.Contains(kind.Kind+kind.Group+kind.Version, "*") || kind.Kind == "" {
			return nil, inexpressible(manifest, "spec.kinds: a customization is for one kind, and this bundle is for any")
		}
		object, err := w.object(kind)
		if err != nil {
			return nil, err
		}
		if object != nil {
			made.Objects = append(made.Objects, object)
		}
	}
	if len(made.Objects) == 0 {
		return nil, ErrNothing
	}
	return made, nil
}

// object returns the customization of a kind; nil where nothing answers for it.
func (w *customizer) object(kind schema.GroupVersionKind) (*configv1alpha1.ResourceInterpreterCustomization, error) {
	object := &configv1alpha1.ResourceInterpreterCustomization{
		TypeMeta: metav1.TypeMeta{APIVersion: configv1alpha1.GroupVersion.String(), Kind: "ResourceInterpreterCustomization"},
		Spec:     configv1alpha1.ResourceInterpreterCustomizationSpec{Target: configv1alpha1.CustomizationTarget{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}},
	}
	object.Name = fmt.Sprintf("%s-%s-%s", w.outline.Name, strings.ToLower(kind.Kind), kind.Version)
	found := false
	for _, op := range engine.Operations() {
		for _, a := range w.outline.Answers {
			if a.Operation != op.File || !slices.Contains(a.Kinds, kind.Kind) || !w.of.has(kind.Kind, op.Name) {
				continue
			}
			s, err := w.script(op, a)
			if err != nil {
				return nil, err
			}
			if err := setField(object, op.Field, s); err != nil {
				return nil, err
			}
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	return object, nil
}

// script returns one script with all that it needs.
func (w *customizer) script(op engine.Operation, a bundle.Answer) (*configv1alpha1.Script, error) {
	text, err := w.read(a.File)
	if err != nil {
		return nil, err
	}
	switch {
	case a.Function != "":
		module := strings.ReplaceAll(strings.TrimSuffix(a.File, ".lua"), "/", ".")
		names := strings.Join(op.ParamNames(), ", ")
		text = fmt.Sprintf("function %s(%s)\n  return require(%q).%s(%s)\nend\n", op.Entry, names, module, a.Function, names)
	case path.Ext(a.File) == ".cel":
		if usesParams.MatchString(text) {
			text = fmt.Sprintf("cel.bind(params, %s,\n%s)", w.celParams(), strings.TrimRight(text, "\n"))
		}
		return &configv1alpha1.Script{CELExpression: text}, nil
	}
	before, err := w.modules(text)
	if err != nil {
		return nil, err
	}
	if usesParams.MatchString(before + text) {
		before = "local params = " + w.luaParams() + "\n" + before
	}
	text = inlined(text)
	if op.Takes(engine.ItemsParam) {
		text = strings.TrimRight(text, "\n") + "\n\n" + withItems(op)
	}
	return &configv1alpha1.Script{LuaScript: before + text}, nil
}

func (w *customizer) read(file string) (string, error) {
	data, err := fs.ReadFile(w.fsys, path.Join(w.dir, file))
	return string(data), err
}

var (
	usesParams = regexp.MustCompile(`\bparams\b`)
	// required finds the modules that a text requires; their names are constants.
	required = regexp.MustCompile(`\brequire\s*\(?\s*(?:"|'|\[\[)(lib\.\w+)`)
)

// loader takes the place of require for the modules of the bundle; moduleCall is its name.
const (
	moduleCall = "bundleModule"
	loader     = `local modules, loaded = {}, {}
local function bundleModule(name)
  if loaded[name] == nil then
    loaded[name] = modules[name]()
  end
  return loaded[name]
end
`
)

// withItems returns what gives a function an empty list where a customization gets nil: where there are no
// items.
func withItems(op engine.Operation) string {
	var args []string
	for _, p := range op.Params {
		if p.Kind == engine.ItemsParam {
			p.Name += " or {}"
		}
		args = append(args, p.Name)
	}
	return fmt.Sprintf("local answerOf%[1]s = %[1]s\nfunction %[1]s(%[2]s)\n  return answerOf%[1]s(%[3]s)\nend\n",
		op.Entry, strings.Join(op.ParamNames(), ", "), strings.Join(args, ", "))
}

// inlined returns a text in which modules of the bundle are required by loader.
func inlined(text string) string {
	return required.ReplaceAllStringFunc(text, func(call string) string { return moduleCall + strings.TrimPrefix(call, "require") })
}

// modules returns what stands before a script so that it can require what it does, directly or through
// others; "" where that is nothing.
func (w *customizer) modules(text string) (string, error) {
	texts := map[string]string{}
	var find func(text string) error
	find = func(text string) error {
		for _, m := range required.FindAllStringSubmatch(text, -1) {
			name := m[1]
			if texts[name] != "" {
				continue
			}
			module, err := w.read(strings.ReplaceAll(name, ".", "/") + ".lua")
			if err != nil {
				return err
			}
			texts[name] = module
			if err := find(module); err != nil {
				return err
			}
		}
		return nil
	}
	if err := find(text); err != nil || len(texts) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString(loader)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "modules[%q] = function()\n%s\nend\n", name, strings.TrimRight(inlined(texts[name]), "\n"))
	}
	return b.String(), nil
}

func (w *customizer) luaParams() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(w.params)) {
		all = append(all, fmt.Sprintf("%s = %s", name, strconv.Quote(w.params[name])))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func (w *customizer) celParams() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(w.params)) {
		all = append(all, fmt.Sprintf("%q: %s", name, strconv.Quote(w.params[name])))
	}
	return "{" + strings.Join(all, ", ") + "}"
}
