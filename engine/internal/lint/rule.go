// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"errors"
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// The ids of the rules. They are part of the output and never change their meaning.
const (
	AmbiguousEmptyTable = "ambiguous-empty-table"
	BacktrackingPattern = "backtracking-pattern"
	BadDirective        = "bad-directive"
	GlobalWrite         = "global-write"
	MissingReturnPath   = "missing-return-path"
	MissingTestForOp    = "missing-test-for-op"
	NilIndexRisk        = "nil-index-risk"
	Nondeterminism      = "nondeterminism"
	QuantityArithmetic  = "quantity-arithmetic"
	RemovedBuiltin      = "removed-builtin"
	Shadowed            = "shadowed"
	StringNumberCompare = "string-number-compare"
	TestWithoutAssert   = "test-without-assert"
	UnboundedLoop       = "unbounded-loop"
	UndeclaredWritePath = "undeclared-write-path"
	UndefinedGlobal     = "undefined-global"
	UnknownField        = "unknown-field"
	UnknownFunction     = "unknown-function"
	UnknownParameter    = "unknown-parameter"
	Unused              = "unused"
	WrongArgument       = "wrong-argument"
	WrongEntryName      = "wrong-entry-name"
)

// Severity is how much a finding counts.
type Severity string

// The severities. An Error fails a check, a Warning only where that is asked for.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Rule is one thing that checks look for.
type Rule struct {
	ID string
	// Severity is that of a finding in a bundle. The published form of customizations allows
	// what a bundle may not have: there all findings about a script that compiles are
	// warnings, but for those of BadDirective.
	Severity Severity
	// Compiled reports whether a script of a bundle with a finding does not compile, so that
	// the rule cannot be switched off there.
	Compiled bool
	// Summary is a sentence without a full stop.
	Summary string
}

// Rules lists all rules by their ids.
func Rules() []Rule {
	return []Rule{
		{AmbiguousEmptyTable, Warning, false, "A field that the schema has as a list is set to {}, which is an empty map"},
		{BacktrackingPattern, Warning, false, "A pattern tries the same text in many ways, so that its gas grows with a power of the length"},
		{BadDirective, Error, false, "A lint comment names a rule that does not exist, or has another form"},
		{GlobalWrite, Error, true, "A variable is assigned without local"},
		{MissingReturnPath, Error, true, "A function that returns an answer can also end without one"},
		{MissingTestForOp, Warning, false, "No case asks a script of a bundle"},
		{NilIndexRisk, Warning, false, "A field of something is read that can be absent, and nothing tests it"},
		{Nondeterminism, Warning, false, "An answer that is stored depends on the time, so that it is never the same"},
		{QuantityArithmetic, Warning, false, "A quantity such as 500m is used as a number"},
		{RemovedBuiltin, Error, true, "A function of standard Lua is used that scripts do not have"},
		{Shadowed, Warning, false, "A variable hides another one, or a library"},
		{StringNumberCompare, Warning, false, "A string is compared with a number"},
		{TestWithoutAssert, Error, false, "A case expects nothing"},
		{UnboundedLoop, Warning, false, "A loop has nothing that ends it"},
		{UndeclaredWritePath, Warning, false, "A script writes where its operation takes nothing"},
		{UndefinedGlobal, Error, true, "A name is read that nothing defines"},
		{UnknownField, Warning, false, "A field is read or written that the schema does not have"},
		{UnknownFunction, Error, true, "A function is called that its library does not have"},
		{UnknownParameter, Error, true, "A parameter is read that the bundle does not have"},
		{Unused, Warning, false, "A variable or a function is never used"},
		{WrongArgument, Error, true, "A function of kube is called with an argument that it does not take"},
		{WrongEntryName, Error, true, "The script does not define the function that its operation calls"},
	}
}

// Find returns a rule by its id. The error of an unknown one names the one that was probably
// meant.
func Find(id string) (Rule, error) {
	rules := Rules()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i >= 0 {
		return rules[i], nil
	}
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.ID
	}
	return Rule{}, errors.New(script.Unknown("rule", id, names))
}

// Finding is what a rule found.
type Finding struct {
	// Rule is the id of the rule.
	Rule string
	script.Position
	// Field is the path of the field that it is about, or "".
	Field   string
	Message string
}
