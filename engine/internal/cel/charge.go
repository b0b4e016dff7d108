// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	kubecel "k8s.io/apiserver/pkg/cel"
)

// charge pays for a call whose arguments are known, before it is made. A value
// that it returns is the result, and the call is not made.
type charge func(m *meter, args []ref.Val) ref.Val

// charges are the prices of functions. Each function of the libraries is here, in free, in
// texts, or has a work of its own: New refuses a library with another.
var charges = map[string]charge{
	operators.Equals:           comparison,
	operators.NotEquals:        comparison,
	operators.In:               membership,
	operators.OldIn:            membership,
	"in":                       membership,
	operators.Less:             shallow,
	operators.LessEquals:       shallow,
	operators.Greater:          shallow,
	operators.GreaterEquals:    shallow,
	operators.Add:              deep,
	operators.Index:            shallow,
	operators.OptIndex:         shallow,
	operators.OptSelect:        shallow,
	operators.Conditional:      shallow,
	operators.LogicalAnd:       shallow,
	operators.LogicalOr:        shallow,
	operators.NotStrictlyFalse: shallow,
	"__not_strictly_false__":   shallow, // the name before

	"size":       shallow,
	"startsWith": shallow,
	"endsWith":   shallow,
	"trim":       shallow,
	"or":         shallow,
	"orValue":    shallow,

	"string": conversion,
	"bytes":  conversion,
	"bool":   conversion,
	"int":    reading,
	"uint":   reading,
	"double": reading,

	"charAt":      runes,
	"substring":   runes,
	"lowerAscii":  runes,
	"upperAscii":  runes,
	"reverse":     runes,
	"indexOf":     search,
	"lastIndexOf": search,
	"join":        joining,
	"format":      formatting,

	"lists.range":           numbers,
	"slice":                 copying,
	"flatten":               deep,
	"sum":                   deep,
	"min":                   deep,
	"max":                   deep,
	"isSorted":              deep,
	"math.@min":             deep,
	"math.@max":             deep,
	"optional.unwrap":       unwrapping,
	"unwrapOpt":             unwrapping,
	"distinct":              pairs,
	"sort":                  sorting,
	"@sortByAssociatedKeys": sorting,
	"sets.contains":         pairs,
	"sets.equivalent":       pairs,
	"sets.intersects":       pairs,
	"cel.@mapInsert":        insertion,
	"cel.@block":            deep,

	"quantity":           quantity,
	"isQuantity":         question(quantity),
	"sign":               arithmetic,
	"asInteger":          arithmetic,
	"isInteger":          arithmetic,
	"asApproximateFloat": arithmetic,
	"isGreaterThan":      arithmetic,
	"isLessThan":         arithmetic,
	"compareTo":          arithmetic,
	"add":                arithmetic,
	"sub":                arithmetic,

	"semver":         parsed,
	"isSemver":       question(parsed),
	"ip":             parsed,
	"isIP":           question(parsed),
	"ip.isCanonical": parsed,
	"cidr":           parsed,
	"isCIDR":         question(parsed),
	"containsIP":     parsed,
	"containsCIDR":   parsed,
	"url":            parsed,
	"isURL":          question(parsed),
	"getQuery":       query,
	"getEscapedPath": query,
	"getHost":        query,
	"getHostname":    query,
	"getPort":        query,
	"getScheme":      query,
	"timestamp":      parsed,
	"duration":       parsed,
	"format.named":   parsed,
	"validate":       validation,

	"getDate":         zone,
	"getDayOfMonth":   zone,
	"getDayOfWeek":    zone,
	"getDayOfYear":    zone,
	"getFullYear":     zone,
	"getHours":        zone,
	"getMilliseconds": zone,
	"getMinutes":      zone,
	"getMonth":        zone,
	"getSeconds":      zone,
}

// free are the functions whose time does not depend on their arguments.
var free = set(
	operators.LogicalNot, operators.Negate, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo,
	"type", "dyn",
	"optional.none", "optional.of", "optional.ofNonZeroValue", "hasValue", "value", "first", "last",
	"math.abs", "math.bitAnd", "math.bitNot", "math.bitOr", "math.bitShiftLeft", "math.bitShiftRight", "math.bitXor",
	"math.ceil", "math.floor", "math.isFinite", "math.isInf", "math.isNaN", "math.round", "math.sign", "math.sqrt", "math.trunc",
	"major", "minor", "patch",
	"family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "masked", "prefixLength",
	"format.byte", "format.date", "format.datetime", "format.dns1035Label", "format.dns1035LabelPrefix", "format.dns1123Label", "format.dns1123LabelPrefix",
	"format.dns1123Subdomain", "format.dns1123SubdomainPrefix", "format.labelValue", "format.qualifiedName", "format.uri", "format.uuid",
)

// priced reports whether calls of a function pay, or take a time that is known.
func priced(function string) bool {
	return free[function] || charges[function] != nil || texts[function].do != nil || matchers[function]
}

// deep is the price of all that the arguments consist of.
func deep(m *meter, args []ref.Val) ref.Val {
	for _, a := range args {
		if n := bytesOf(a); n > 0 {
			m.charge(n / gasBytes)
		} else if isComposite(a) {
			m.charge(m.size(a).gas())
		}
	}
	return nil
}

// shallow is the price of a function that reads strings, and of lists and maps
// the length.
func shallow(m *meter, args []ref.Val) ref.Val {
	for _, a := range args {
		if n := bytesOf(a); n >= gasBytes {
			m.charge(n / gasBytes)
		}
	}
	return nil
}

// comparison is the price of a == b.
func comparison(m *meter, args []ref.Val) ref.Val {
	compare(m, args[0], args[1])
	return nil
}

// compare pays for a == b. Values of different type or length differ without
// being read.
func compare(m *meter, a, b ref.Val) {
	if n := bytesOf(a); n >= gasBytes && n == bytesOf(b) {
		m.charge(n / gasBytes)
		return
	}
	if isParsed(a) || isParsed(b) {
		m.charge(max(parsedGas(a), parsedGas(b)))
		return
	}
	switch x := a.(type) {
	case *types.Optional:
		if y, ok := b.(*types.Optional); ok && x.HasValue() && y.HasValue() {
			compare(m, x.GetValue(), y.GetValue())
		}
	case traits.Lister:
		if y, ok := b.(traits.Lister); ok && length(x) == length(y) {
			m.charge(m.size(a).gas())
		}
	case traits.Mapper:
		if y, ok := b.(traits.Mapper); ok && length(x) == length(y) {
			m.charge(m.size(a).gas())
		}
	}
}

// isComposite reports whether v has parts.
func isComposite(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper, *types.Optional, kubecel.URL:
		return true
	}
	return false
}

// set makes a set of names.
func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}
