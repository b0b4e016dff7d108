// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/operators"
)

// Call is a way in which an expression can call a function, an operator or a macro.
type Call struct {
	// Function is its name as cel-go has it, such as contains or _+_; Overload is which
	// of several, "" for a macro.
	Function, Overload string
	// Form is a call in which $ stands for each argument, such as $.contains($). That of
	// a macro is without arguments: its name.
	Form string
	// Args are the types of the arguments.
	Args []string
	// Macro reports whether it is one.
	Macro bool
}

// Calls lists what an expression can call, sorted by function and overload.
func (c *Compiler) Calls() []Call {
	var all []Call
	for name, f := range c.base.Functions() {
		for _, o := range f.OverloadDecls() {
			args := make([]string, 0, len(o.ArgTypes()))
			for _, t := range o.ArgTypes() {
				args = append(args, t.String())
			}
			if form := formOf(name, args, o.IsMemberFunction()); form != "" {
				all = append(all, Call{Function: name, Overload: o.ID(), Form: form, Args: args})
			}
		}
	}
	for _, m := range c.macros() {
		all = append(all, Call{Function: m.Function(), Form: m.Function(), Macro: true})
	}
	slices.SortFunc(all, func(a, b Call) int {
		return strings.Compare(a.Function+" "+a.Overload, b.Function+" "+b.Overload)
	})
	return slices.CompactFunc(all, func(a, b Call) bool { return a.Function == b.Function && a.Overload == b.Overload })
}

// macros are those of the language and of the libraries.
func (c *Compiler) macros() []cel.Macro { return append(cel.StandardMacros, c.base.Macros()...) }

// formOf returns a call of a function; "" for one that only a macro calls.
func formOf(name string, args []string, member bool) string {
	_, symbol := operators.FindReverse(name)
	switch {
	case name == operators.In:
		return "$ in $"
	case symbol, strings.Contains(name, "_") && strings.Trim(name, "_?![]:-+*/<>=&|.") == "":
		if name == operators.OptSelect {
			return "$[?$]"
		}
		return strings.ReplaceAll(name, "_", "$")
	case strings.ContainsAny(name, "@_"):
		return ""
	case member:
		return "$." + name + "(" + strings.TrimSuffix(strings.Repeat("$, ", len(args)-1), ", ") + ")"
	}
	return name + "(" + strings.TrimSuffix(strings.Repeat("$, ", len(args)), ", ") + ")"
}
