// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
)

// groups are the known differences, the narrow ones first.
var groups = []group{
	{
		"absent on purpose", "a script has no metatables; reading the name is an error with the reason", "us",
		statement(`setmetatable`),
	},
	{
		"os.date, E and O", "the manual has for os.date the rules of strftime, where E and O modify a conversion; 5.1.5 passes on one letter", "us",
		statement(`os\.date\(".*%[EO]`),
	},
	{
		"os.date, unknown conversion", "C leaves it open, its library prints it; an error shows the mistake", "both",
		all(statement(`os\.date\(".*%Q`), ours(`^error$`)),
	},
	{
		"position before a message", "error knows the line of a call through pcall too", "them",
		func(d difference) bool { return d.theirs == placed.ReplaceAllString(d.ours, "") },
	},
	{
		"numbers as text", "whole numbers keep all their digits; 5.1 prints 14", "them",
		all(func(d difference) bool { return rounded(d.theirs) == rounded(d.ours) }, either(`\d{15}`)),
	},
	{
		"parts of numbers as text", "the same, where the digits are cut, turned or joined to others", "them",
		all(statement(`1e1[456]|123456789012345|2\^53`), statement(`tostring|\.\.|concat|error`)),
	},
	{
		"order of equal items", "table.sort keeps the order of items that are equal", "both",
		all(statement(`table\.sort`), func(d difference) bool { return letters(d.theirs) == letters(d.ours) }),
	},
	{
		"minus zero", "0 has one form, as an integer", "them",
		func(d difference) bool {
			return unsigned.Replace(d.theirs) == unsigned.Replace(placed.ReplaceAllString(d.ours, ""))
		},
	},
	{
		"last digits of a power", "math.Pow of Go and pow of C differ in the last digits", "both",
		all(statement(`\^|math\.pow`), func(d difference) bool { return rounded(d.theirs) == rounded(d.ours) }),
	},
	{
		"remainder", "a % b is exact; the manual's a - math.floor(a/b)*b rounds, and has no value for an infinite b", "them",
		statement(` % `),
	},
	{
		"positions beyond the integers", "they are the end; C casts them to any number", "both",
		statement(`(sub|rep|find|byte|match|remove|unpack|select|insert|ldexp)\W.*(huge|e\d\d|\^|/ )`),
	},
	{
		"integers of a format beyond int64", "they are the largest or the smallest; C casts them to any number", "both",
		all(statement(`string\.format`), theirs(`-9223372036854775808|8000000000000000|1777777777777777777777|9223372036854775808`)),
	},
	{
		"NUL in a format", "text keeps its zero bytes; %s and %c of 5.1 end there", "us",
		all(statement(`string\.format`), statement(`\\0`)),
	},
	{
		"address of a table", "tostring of a table is the same in each run", "both",
		func(d difference) bool { return address.ReplaceAllString(d.theirs, "$1") == d.ours },
	},
	{
		"sign of nan", "C prints that of its bits", "both",
		all(statement(`sqrt\(-|frexp\(math\.sqrt|\^|huge|tostring`), func(d difference) bool {
			return strings.ReplaceAll(d.theirs, "-nan", "nan") == d.ours || strings.Contains(d.statement, "math.sqrt(-")
		}),
	},
	{
		"end of a template", "a % at the end stands for itself; 5.1 writes a zero byte", "both",
		all(statement(`gsub\(.*%"`), theirs(`\\000`)),
	},
	{
		"name in a message", "a message names the function that it is about, also through pcall", "both",
		all(theirs(`to '\?' \(`), ours(`bad argument #\d to '\w+'`)),
	},
	{
		"first value of a loop", "it is the value that was given; 5.1 takes the step off and adds it again", "us",
		all(statement(`for i = `), func(d difference) bool { return strings.Count(d.theirs, ",") == strings.Count(d.ours, ",") }),
	},
	{
		"numbers as C reads them", "inf, nan, 0x1p4 and 0x.8 are no numbers of Lua; strtod of C takes them", "us",
		all(statement(`inf|nan|0x1p4|0x\.8|huge|e400|1e300|1e308|/ 0|tonumber\(tostring`), either(`inf|nan|^error$|nil|16|0\.5`)),
	},
	{
		"digits beyond 64 bits", "tonumber with a base takes all digits and a sign; strtoul of C stops at 64 bits", "us",
		all(statement(`tonumber\(`), theirs(`18446744073709551616|1\.8446744073709552e\+19|1\.844674407371e\+19`)),
	},
}

var (
	unsigned = strings.NewReplacer("-0", "0", "-inf", "inf")
	address  = regexp.MustCompile(`(table|function): 0x[0-9a-f]+`)
	placed   = regexp.MustCompile(`program\.lua:\d+: `)
	number   = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)
)

// rounded returns a line with each number as 12 digits.
func rounded(s string) string { return number.ReplaceAllStringFunc(s, digits) }

// letters returns the bytes of a line, sorted.
func letters(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// statement matches differences by the source, theirs and ours by one of the outputs, and
// either by any of the two.
func statement(expression string) func(difference) bool {
	re := regexp.MustCompile(expression)
	return func(d difference) bool { return re.MatchString(d.statement) }
}

func theirs(expression string) func(difference) bool {
	re := regexp.MustCompile(expression)
	return func(d difference) bool { return re.MatchString(d.theirs) }
}

func ours(expression string) func(difference) bool {
	re := regexp.MustCompile(expression)
	return func(d difference) bool { return re.MatchString(d.ours) }
}

func either(expression string) func(difference) bool {
	re := regexp.MustCompile(expression)
	return func(d difference) bool { return re.MatchString(d.theirs) || re.MatchString(d.ours) }
}

// all matches what all of some functions match.
func all(matches ...func(difference) bool) func(difference) bool {
	return func(d difference) bool {
		for _, match := range matches {
			if !match(d) {
				return false
			}
		}
		return true
	}
}
