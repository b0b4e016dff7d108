// SPDX-License-Identifier: Apache-2.0

// Package budget counts what the overrides of one object do for one cluster. Costs go in, an
// error comes out when they are too much together; it does not know what they are for.
package budget

import "fmt"

// Whole is what the overrides of one object may cost for one cluster, in values: to copy, move
// or look at an entry of a map or an item of a list costs one. An object of an API server has
// less than a tenth of it.
const Whole = 8 << 20

// Budget is what is left. The zero value has nothing left. It is for one goroutine.
type Budget struct{ left int }

// New returns the whole budget.
func New() *Budget { return &Budget{left: Whole} }

// Take takes a number of values. If they are not left, it is an error and nothing is left.
func (b *Budget) Take(values int) error {
	if !b.Affords(values) {
		b.left = 0
		return fmt.Errorf("the overrides of this object together copy and read more than %d values for one cluster; use fewer of them, or split what they change", Whole)
	}
	b.left -= values
	return nil
}

// Affords reports whether a number of values is left.
func (b *Budget) Affords(values int) bool { return values >= 0 && values <= b.left }

// Taken returns how many values were taken.
func (b *Budget) Taken() int { return Whole - b.left }
