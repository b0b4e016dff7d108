// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"slices"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Classes returns the names of what the attack is one of, three in all: the attacks of its
// family in its form; those on its operation in its form that end alike; and those that
// end with its code in its form. The program reads the arguments by the operation and the
// form, and prints an error by its code; what may stop the process depends on the family.
func (q Question) Classes() []string {
	return []string{
		fmt.Sprintf("%s as %s", q.Family, q.Form),
		fmt.Sprintf("%s by %s, %s", q.Operation, q.Form, q.end()),
		fmt.Sprintf("%s with %q", q.Form, q.Want),
	}
}

// end returns what kind of end the attack must have.
func (q Question) end() string {
	switch q.Want {
	case Bounded:
		return "any end"
	case Harmless:
		return "an answer"
	case Limited, script.Gas, script.Memory, script.Depth:
		return "a limit"
	}
	return "an error"
}

// Choose returns the attacks that show a class that none before them shows, and those that
// Fatal names: few that take each way through the program. So the first of a family should
// be one whose arguments are small.
func Choose(all []Question) []Question {
	var chosen []Question
	fatal, seen := Fatal(), map[string]bool{}
	for _, q := range all {
		choose := slices.Contains(fatal, q.Name)
		for _, class := range q.Classes() {
			choose = choose || !seen[class]
			seen[class] = true
		}
		if choose {
			chosen = append(chosen, q)
		}
	}
	return chosen
}
