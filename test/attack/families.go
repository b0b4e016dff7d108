// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// family is a list of attacks that are about one thing, such as patterns.
type family[T any] struct {
	name    string
	attacks []T
}

// flat returns the attacks of all families.
func flat[T any](families []family[T]) []T {
	var all []T
	for _, f := range families {
		all = append(all, f.attacks...)
	}
	return all
}

func luaFamilies() []family[Attack] {
	return []family[Attack]{
		{"loops", loops()},
		{"texts", texts()},
		{"patterns", patterns()},
		{"formats", formats()},
		{"tables", tables()},
		{"walks", walks()},
		{"sorts", sorts()},
		{"calls", calls()},
		{"raised", raised()},
		{"results", results()},
		{"libraries", libraries()},
		{"host", host()},
		{"functions", functions()},
		{"sources", sources()},
		{"deep", deep()},
	}
}

func celFamilies() []family[Attack] {
	return []family[Attack]{
		{"values", celValues()}, {"texts", celTexts()}, {"parsers", celParsers()}, {"lists", celLists()}, {"functions", celFunctions()},
	}
}

// Lua returns the attacks in Lua. The slice is the caller's.
func Lua() []Attack { return flat(luaFamilies()) }

// CEL returns the attacks in CEL. The slice is the caller's.
func CEL() []Attack { return flat(celFamilies()) }

// Simple returns the attacks of Lua and CEL as questions for a status. Most share one
// object. One in Lua that must not compile is the whole source: some are so by their first
// bytes.
func Simple() []Question {
	var all []Question
	for _, f := range luaFamilies() {
		for _, a := range f.attacks {
			q := Question{
				Name: "Lua: " + a.Name, Family: "Lua " + f.name, Form: Published, Operation: status, Object: Object, Want: a.Want,
				Source: "local params = object " + a.Source,
			}
			if a.Want == script.Syntax {
				q.Source, q.Whole = a.Source, true
			}
			all = append(all, q)
		}
	}
	for _, f := range celFamilies() {
		for _, a := range f.attacks {
			all = append(all, Question{
				Name: "CEL: " + a.Name, Family: "CEL " + f.name, Form: Expression, Operation: status, Object: Target, Want: a.Want, Source: a.Source,
			})
		}
	}
	return all
}

// Named returns the attacks that have arguments of their own. The slice is the caller's.
func Named() []Question {
	return questions([]family[Question]{
		{"conversions", conversions()},
		{"aggregated", aggregated()},
		{"quantities", quantities()},
		{"shipped", shipped()},
		{"checked", checked()},
		{"regexps", regexps()},
		{"needles", needles()},
		{"messages", messages()},
		{"keys", keys()},
		{"formatted", formatted()},
		{"components", components()},
		{"pointers", pointers()},
		{"references", references()},
		{"claims", claims()},
		{"objects", objects()},
		{"compiled", compiled()},
		{"folders", folders()},
		{"nested", celNested()},
		{"compared", celCompared()},
		{"directives", directives()},
		{"misfits", misfits()},
	})
}

// Varied returns generated attacks of the same kinds: each form of a source, a text or an
// object where it can stand. The slice is the caller's.
func Varied() []Question {
	return questions([]family[Question]{
		{"quantities", quantityForms()},
		{"amounts", amounts()},
		{"checked", checkedForms()},
		{"regexps", regexpForms()},
		{"needles", needleForms()},
		{"messages", messageForms()},
		{"compiled", compiledForms()},
		{"shaped", shaped()},
	})
}

// questions returns the attacks of families, each with the name of its family.
func questions(families []family[Question]) []Question {
	var all []Question
	for _, f := range families {
		for _, q := range f.attacks {
			q.Family = f.name
			all = append(all, q)
		}
	}
	return all
}

// All returns all attacks: Named, Simple and Varied. The slice is the caller's.
func All() []Question { return slices.Concat(Named(), Simple(), Varied()) }
