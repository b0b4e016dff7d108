// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// flatten is the work of l.flatten() and l.flatten(levels). That of cel-go makes a list at
// each level, and copies all that is below into it: time and memory are the product of the
// items and of how deep they nest.
func (c *call) flatten(r *run, args []ref.Val) ref.Val {
	l, ok := args[0].(traits.Lister)
	levels := types.Int(1)
	if ok && len(args) > 1 {
		levels, ok = args[1].(types.Int)
	}
	switch {
	case !ok:
		return c.mismatch(args)
	case levels < 0:
		return types.NewErr("level must be non-negative")
	}
	deep(&r.meter, args)
	flat := types.NewRefValList(types.DefaultTypeAdapter, flattened(nil, l, levels))
	made(&r.meter, flat)
	return flat
}

// flattened appends the items of a list, and in place of those that are lists theirs, down
// to some levels.
func flattened(to []ref.Val, l traits.Lister, levels types.Int) []ref.Val {
	for it := l.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if below, ok := item.(traits.Lister); ok && levels > 0 {
			to = flattened(to, below, levels-1)
			continue
		}
		to = append(to, item)
	}
	return to
}
