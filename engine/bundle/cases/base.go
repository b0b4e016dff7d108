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
func (r *Reader) readBase(n yamldoc.Node) (map[string]any, error) {
	var base map[string]any
	err := n.Fields(yamldoc.Fields{"base": func(n yamldoc.Node) error {
		o, err := objectOf(n)
		base = o
		return err
	}}, "base")
	if err != nil {
		return nil, err
	}
	return base, nil
}

// started returns an object of a case, which is a merge patch on the base of its file if there is one.
func (r *Reader) started(n yamldoc.Node, base map[string]any) (yamldoc.Node, error) {
	patch, isMap := n.Value.(map[string]any)
	if base == nil || !isMap {
		return n, nil
	}
	if !r.yaml.Take(yamldoc.SizeOf(base)) {
		return n, n.Errorf(beyondBudget)
	}
	n.Value = merged(base, patch)
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
