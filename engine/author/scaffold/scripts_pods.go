// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// single returns the one template of a kind; nil where there are none, or more.
func (t *traits) single() *template {
	if len(t.templates) != 1 || repeatAt(t.templates[0].path) >= 0 {
		return nil
	}
	return &t.templates[0]
}

// isDivisible reports whether the object has one number of replicas that may be changed.
func (t *traits) isDivisible() bool {
	return t.replicas != nil && (len(t.templates) == 0 || t.single() != nil)
}

func (t *traits) replicasScript(l *lines, _ string) bool {
	if !t.isDivisible() {
		return false
	}
	l.comment(0, "How many replicas the object asks for, and what one of them needs. %s", draft)
	l.add(0, "function GetReplicas(object)")
	needs := "nil"
	if one := t.single(); one != nil {
		needs = fmt.Sprintf("kube.accuratePodRequirements(kube.get(object, %s, {}))", pathLiteral(one.path))
	}
	l.add(1, "return kube.get(object, %s, 1), %s", pathLiteral(t.replicas), needs)
	l.add(0, "end")
	return true
}

func (t *traits) revise(l *lines, _ string) bool {
	if !t.isDivisible() || len(t.replicas) < 2 {
		return false
	}
	l.comment(0, "The object with another number of replicas: what a cluster gets where they are divided. %s", draft)
	l.add(0, "function ReviseReplica(object, replicas)")
	t.set(l, "object", "replicas")
	l.add(1, "return object")
	l.add(0, "end")
	return true
}

// set writes an assignment of the number of replicas.
func (t *traits) set(l *lines, to, value string) {
	first := member(t.replicas[0])
	l.add(1, "%s%s = kube.merge(%s%s, %s)", to, first, to, first, nested(t.replicas[1:], value))
}

func (t *traits) retain(l *lines, _ string) bool {
	if !t.isDivisible() || len(t.replicas) < 2 {
		return false
	}
	l.comment(0, "What belongs to the member cluster: the number of replicas, where an autoscaler there owns it. %s", draft)
	l.add(0, "function Retain(desired, observed)")
	l.add(1, "local replicas = kube.get(observed, %s)", pathLiteral(t.replicas))
	l.add(1, "if replicas and kube.retainsReplicas(desired) then")
	var inner lines
	t.set(&inner, "desired", "replicas")
	l.add(1, "%s", strings.TrimSuffix(inner.String(), "\n"))
	l.add(1, "end\nreturn desired")
	l.add(0, "end")
	return true
}

// maxComponent is how long the name of a component is that is written: the API takes 32 bytes,
// and before the name of a part of several stands that of the others.
const maxComponent = 20

// componentNames returns the names of the components of the templates, from the shortest end of
// their paths that tells them apart, such as jobmanager.
func componentNames(all []template) []string {
	for n := 1; ; n++ {
		names := make([]string, len(all))
		for i, t := range all {
			names[i] = t.component(n)
		}
		unique := slices.Compact(slices.Sorted(slices.Values(names)))
		switch {
		case slices.ContainsFunc(names, func(name string) bool { return len(name) > maxComponent }) || n == maxDepth:
			for i := range names {
				names[i] = fmt.Sprintf("part-%d", i+1)
			}
			return names
		case len(unique) == len(all):
			return names
		}
	}
}

// component returns the last steps of the path of a template, without spec: a leaderTemplate is
// leader, a template or podTemplate is what it stands in.
func (t *template) component(steps int) string {
	path := slices.DeleteFunc(slices.Clone(t.path[1:]), func(step string) bool { return step == eachValue || step == eachItem })
	last := len(path) - 1
	switch name, isTemplate := strings.CutSuffix(strings.ToLower(path[last]), "template"); {
	case isTemplate && name != "" && name != "pod":
		path[last] = name
	case last > 0:
		path = path[:last]
	}
	name := strings.ToLower(strings.Join(path[max(0, len(path)-steps):], "-"))
	return cmp.Or(name, "pods")
}

func (t *traits) components(l *lines, _ string) bool {
	if len(t.templates) == 0 || t.single() != nil {
		return false
	}
	l.comment(0, "The parts of the object that have pods, each with its replicas and what one of them needs. An object with "+
		"several goes to clusters as a whole. %s", draft)
	l.add(0, "function GetComponents(object)")
	l.add(1, "local all = kube.list()")
	repeated := 0
	for _, tm := range t.templates {
		if repeatAt(tm.path) >= 0 {
			repeated++
		}
	}
	for i, name := range componentNames(t.templates) {
		tm := &t.templates[i]
		if repeatAt(tm.path) >= 0 {
			prefix := ""
			if repeated > 1 {
				prefix = name + "-"
			}
			tm.componentOfEach(l, prefix)
			continue
		}
		at := tm.variable(len(t.templates), i)
		l.add(1, "local %s = kube.get(object, %s)", at, pathLiteral(tm.path))
		l.add(1, "if %s then\n  table.insert(all, kube.component(%s, %s, %s))\nend", at, quoted(name), number(tm.replicas, "object"), at)
	}
	l.add(1, "return all")
	l.add(0, "end")
	return true
}

// variable is the name of the i-th of so many templates.
func (t *template) variable(count, i int) string {
	if count == 1 {
		return "template"
	}
	return fmt.Sprintf("template%d", i+1)
}

// loop begins a loop over the parts that have a template, under the name of key, and returns the
// expression of the template of a part.
func (t *template) loop(l *lines, key string) (inPart string) {
	step := repeatAt(t.path)
	iterator := "pairs"
	if t.path[step] == eachItem {
		iterator = "ipairs"
	}
	l.add(1, "for %s, part in %s(kube.get(object, %s, {})) do", key, iterator, pathLiteral(t.path[:step]))
	if below := t.path[step+1:]; len(below) > 0 {
		return fmt.Sprintf("kube.get(part, %s, {})", pathLiteral(below))
	}
	return "part"
}

// componentOfEach writes the components of the parts that have a template; prefix stands before
// their names.
func (t *template) componentOfEach(l *lines, prefix string) {
	step := repeatAt(t.path)
	var replicas []string
	if len(t.replicas) > step {
		replicas = t.replicas[step+1:]
	}
	template := t.loop(l, "key")
	name := "key"
	switch {
	case t.path[step] == eachItem && t.name != "":
		name = fmt.Sprintf("kube.get(part, %s, tostring(key))", quoted(t.name))
	case t.path[step] == eachItem:
		name = "tostring(key)"
	}
	if prefix != "" {
		name = quoted(prefix) + " .. " + name
	}
	l.add(2, "local name = string.lower(%s)", name)
	l.add(2, "table.insert(all, kube.component(name, %s, %s))", number(replicas, "part"), template)
	l.add(1, "end")
}

// number returns the expression of a number of replicas.
func number(path []string, of string) string {
	if len(path) == 0 {
		return "1"
	}
	return fmt.Sprintf("kube.get(%s, %s, 1)", of, pathLiteral(path))
}

func (t *traits) dependencies(l *lines, _ string) bool {
	if len(t.templates) == 0 && len(t.references) == 0 {
		return false
	}
	l.comment(0, "The objects that must be where this object is. They go along with it where its policy propagates dependencies. %s", draft)
	l.add(0, "function GetDependencies(object)")
	l.add(1, "local namespace = kube.get(object, \"metadata.namespace\", \"default\")\nlocal all = kube.list()")
	for i := range t.templates {
		tm := &t.templates[i]
		if repeatAt(tm.path) >= 0 {
			l.add(2, "all = kube.concat(all, kube.getPodDependencies(%s, namespace))", tm.loop(l, "_"))
			l.add(1, "end")
			continue
		}
		at := tm.variable(len(t.templates), i)
		l.add(1, "local %s = kube.get(object, %s, {})", at, pathLiteral(tm.path))
		l.add(1, "all = kube.concat(all, kube.getPodDependencies(%s, namespace))", at)
	}
	t.referencesOf(l)
	l.add(1, "return all")
	l.add(0, "end")
	return true
}

// referencesOf writes the references by name, those of a kind together.
func (t *traits) referencesOf(l *lines) {
	var kinds []string
	names := map[string][]string{}
	for _, r := range t.references {
		if names[r.kind] == nil {
			kinds = append(kinds, r.kind)
		}
		names[r.kind] = append(names[r.kind], fmt.Sprintf("kube.get(object, %s)", pathLiteral(r.path)))
	}
	for _, kind := range kinds {
		joined := " " + names[kind][0]
		if len(names[kind]) > 1 {
			joined = "\n  " + strings.Join(names[kind], ",\n  ")
		}
		l.add(1, "all = kube.concat(all, kube.references(%s, namespace,%s))", quoted(kind), joined)
	}
}
