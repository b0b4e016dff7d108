// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// isBase reports whether a document is the object that the cases after it in its file start from.
func isBase(n yamldoc.Node) bool {
	m, _ := n.Value.(map[string]any)
	_, has := m["base"]
	return has && !looksLikeCase(n)
}

// readBase reads the object that the next cases of a file start from; nil where it is wrong.
func (r *Reader) readBase(n yamldoc.Node) (*base, error) {
	b := &base{}
	err := n.Fields(yamldoc.Fields{"base": func(n yamldoc.Node) error {
		o, err := objectOf(n)
		b.object = o
		return err
	}}, "base")
	if err != nil {
		return nil, err
	}
	b.values, b.bytes = yamldoc.SizeOf(b.object)
	return b, nil
}

// base is an object that cases start from.
type base struct {
	object map[string]any
	// values and bytes are its size, which each case takes that starts from it.
	values, bytes int
}

// started returns an object of a case, which is a merge patch on the base of its file if there is one.
func (r *Reader) started(n yamldoc.Node, b *base) (yamldoc.Node, error) {
	patch, isMap := n.Value.(map[string]any)
	if b == nil || !isMap {
		return n, nil
	}
	if !r.fits(b.values, b.bytes) {
		return n, n.Errorf(beyondBudget)
	}
	n.Value = merged(b.object, patch)
	return n, nil
}

// merged returns an object with a merge patch on it, and shares with both. Its size is taken from the budget
// of the reader.
func merged(object, patch map[string]any) map[string]any {
	return builtin.MergePatch(object, patch, uncharged{})
}

// uncharged is the meter of what no script does.
type uncharged struct{}

// Charge charges nothing.
func (uncharged) Charge(int64) {}
