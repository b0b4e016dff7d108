// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"slices"
	"strings"
)

// Steps of a path to every value of a map, and to every item of a list.
const (
	eachValue = "*"
	eachItem  = "#"
)

// repeatAt returns the index of the step of a path that leads to every value or item; -1 where
// there is none.
func repeatAt(path []string) int {
	return slices.IndexFunc(path, func(step string) bool { return step == eachValue || step == eachItem })
}

// template is a pod template in a kind.
type template struct {
	// path leads to it from the root. One step may be eachValue or eachItem: there is a
	// template in every value of a map, such as spec.replicaSpecs.*.template, or in every
	// item of a list.
	path []string
	// name is the field of the items of a list that names them; "" where there is none.
	name string
	// replicas is the path of the number of its pods; nil where none is known.
	replicas []string
}

// reference is a field with the name of an object of the core group.
type reference struct {
	kind string
	path []string
}

// traits are what of a kind is recognized.
type traits struct {
	// replicas is the path of the number of replicas of the whole object; nil where there
	// is none.
	replicas   []string
	templates  []template
	references []reference
	// suspend reports whether there is a spec.suspend.
	suspend bool

	hasStatus bool
	// fields are all of the status, counts those that are numbers that can be added up over
	// clusters, texts those that are strings.
	fields, counts, texts []string
	// observed reports whether there is a status.observedGeneration, conditions whether there
	// are conditions.
	observed, conditions bool
	// phase is the field of the status that names a phase, ready the one that counts what is
	// ready; "" where there is none.
	phase, ready string
	phases       phases
	// condition is the type of the condition that says that the object is ready.
	condition string
	// seen reports whether an object shows conditions, so that the type is no guess.
	seen bool
	// job reports whether objects end: they have conditions and a completionTime.
	job bool
}

// maxTemplates bounds how many pod templates are looked for; a kind with more has more
// shapes than a draft can serve.
const maxTemplates = 16

// recognize returns the traits of a kind. scale is the path of the replicas by the scale
// subresource, "" where there is none; conditions are the types of conditions that objects
// have.
func recognize(root *shape, scale string, conditions []string) traits {
	var t traits
	spec := root.at("spec")
	t.suspend = spec.at("suspend").is(booleanType)
	t.replicas = replicasPath(root, scale)
	t.findTemplates(spec, []string{"spec"})
	t.dropBases()
	t.findReferences(spec, []string{"spec"})
	for i := range t.templates {
		if t.templates[i].replicas == nil && len(t.templates) == 1 && repeatAt(t.templates[i].path) < 0 {
			t.templates[i].replicas = t.replicas
		}
	}
	t.readStatus(root.at("status"), conditions)
	return t
}

func replicasPath(root *shape, scale string) []string {
	if path := strings.Split(strings.TrimPrefix(scale, "."), "."); scale != "" {
		return path
	}
	if root.at("spec", "replicas").is(integerType) {
		return []string{"spec", "replicas"}
	}
	return nil
}

// findTemplates adds the pod templates below a shape: a map with a spec that has containers.
func (t *traits) findTemplates(s *shape, path []string) {
	if s == nil || len(path) > maxDepth || len(t.templates) == maxTemplates {
		return
	}
	if s.at("spec", "containers").is(listType) || isOpenTemplate(s, path) {
		t.templates = append(t.templates, template{path: path})
		return
	}
	if s.at("containers").is(listType) && s.at("spec") == nil {
		return // a pod spec without its template: nothing is known about what is around it
	}
	before := len(t.templates)
	for _, name := range s.names() {
		t.findTemplates(s.fields[name], extended(path, name))
	}
	if s.elements != nil && repeatAt(path) < 0 {
		step := eachValue
		if s.kind == listType {
			step = eachItem
		}
		t.findTemplates(s.elements, extended(path, step))
	}
	t.countTemplates(s, path, before)
}

// isOpenTemplate reports whether a shape is called a pod template and has a schema that leaves
// open what is in it.
func isOpenTemplate(s *shape, path []string) bool {
	last := path[len(path)-1]
	return (last == "template" || last == "podTemplate") && len(s.fields) == 0 && s.elements == nil && (s.kind == objectType || s.kind == anyType)
}

// dropBases drops a template that stands in the spec itself beside others of the same name
// further below: it is what those have in common, and has no pods of its own.
func (t *traits) dropBases() {
	all := t.templates
	t.templates = slices.DeleteFunc(slices.Clone(all), func(base template) bool {
		return len(base.path) == 2 && slices.ContainsFunc(all, func(o template) bool {
			return len(o.path) > 2 && o.path[len(o.path)-1] == base.path[1]
		})
	})
}

// countTemplates gives the templates that stand directly in a shape the number that stands
// beside them.
func (t *traits) countTemplates(s *shape, path []string, from int) {
	var direct []*template
	for i := from; i < len(t.templates); i++ {
		if len(t.templates[i].path) == len(path)+1 && t.templates[i].replicas == nil {
			direct = append(direct, &t.templates[i])
		}
	}
	if len(direct) != 1 {
		return
	}
	for _, name := range []string{"groupName", "name"} {
		if path[len(path)-1] == eachItem && direct[0].name == "" && s.at(name).is(stringType) {
			direct[0].name = name
		}
	}
	for _, name := range []string{"replicas", "instances", "size"} {
		if s.at(name).is(integerType) {
			direct[0].replicas = extended(path, name)
			return
		}
	}
}

// referenced are the kinds that fields refer to by name, by the end of the field's name.
var referenced = []struct{ end, kind string }{
	{"secretName", "Secret"},
	{"secretRef.name", "Secret"},
	{"secretKeyRef.name", "Secret"},
	{"configMapName", "ConfigMap"},
	{"configMapRef.name", "ConfigMap"},
	{"configMapKeyRef.name", "ConfigMap"},
	{"serviceAccountName", "ServiceAccount"},
}

// maxReferences bounds how many fields a script reads for references.
const maxReferences = 24

// findReferences adds the fields below a shape that name a Secret, a ConfigMap or a
// ServiceAccount, but for those of pod templates, which are read as a whole.
func (t *traits) findReferences(s *shape, path []string) {
	if s == nil || len(path) > maxDepth || s.at("spec", "containers") != nil || s.at("containers") != nil {
		return
	}
	for _, name := range s.names() {
		below, at := s.fields[name], extended(path, name)
		if kind := referencedKind(at); kind != "" && below.is(stringType) && len(t.references) < maxReferences {
			t.references = append(t.references, reference{kind, at})
		}
		t.findReferences(below, at)
	}
}

func referencedKind(path []string) string {
	whole := strings.ToLower(dotted(path))
	for _, r := range referenced {
		if end := strings.ToLower(r.end); strings.HasSuffix(whole, end) {
			return r.kind
		}
	}
	return ""
}

// extended returns a path with a further step; path is not changed.
func extended(path []string, step string) []string {
	return append(slices.Clip(slices.Clone(path)), step)
}
