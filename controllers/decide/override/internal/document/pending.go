// SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"
	"slices"
	"strings"
)

// pending are changes of one text that do not depend on each other, of the nodes N of its tree.
// The zero value has none.
type pending[N comparable] struct {
	splices []splice
	of      map[N]bool
	// grown is by how many bytes the text will be longer.
	grown int
}

// add adds a change of a node that has none.
func (p *pending[N]) add(node N, s splice) {
	if p.of == nil {
		p.of = map[N]bool{}
	}
	p.of[node] = true
	p.splices = append(p.splices, s)
	p.grown += len(s.text) - (s.end - s.start)
}

// fits reports whether the changed text is not too long to be read.
func (p *pending[N]) fits(text string) bool { return len(text)+p.grown <= maxText }

// disjoint sorts the changes by their places, and reports whether no two overlap.
func (p *pending[N]) disjoint() bool {
	slices.SortFunc(p.splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(p.splices); i++ {
		if p.splices[i-1].end > p.splices[i].start {
			return false
		}
	}
	return true
}

// apply returns the text with all changes made, which do not overlap.
func (p *pending[N]) apply(text string) string {
	p.disjoint()
	var b strings.Builder
	b.Grow(len(text) + max(p.grown, 0))
	at := 0
	for _, s := range p.splices {
		b.WriteString(text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
