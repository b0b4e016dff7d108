// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// root is a path of a selection.
type root struct {
	name string
	info fs.FileInfo
}

// roots returns the paths of the selection, in order, without those whose cases are among
// those of another one, so that none runs twice. The error is about a path that is not
// there.
func (p *Plan) roots() ([]root, error) {
	var all []root
	for _, name := range p.selection.Paths {
		info, err := fs.Stat(p.tree, name)
		if err != nil {
			return nil, err
		}
		r := root{path.Clean(name), info}
		if !slices.ContainsFunc(all, r.same) {
			all = append(all, r)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r root) bool {
		return slices.ContainsFunc(all, func(other root) bool { return other.holds(r) })
	}), nil
}

// same reports whether two paths are of one file or folder.
func (r root) same(other root) bool { return r.name == other.name || os.SameFile(r.info, other.info) }

// holds reports whether a walk through r comes to the cases of other, which is below it.
func (r root) holds(other root) bool {
	if !r.info.IsDir() || r.name == other.name || !other.info.IsDir() && !cases.IsCaseFile(other.name) {
		return false
	}
	below, found := strings.CutPrefix(other.name, r.name+"/")
	if r.name == "." && !path.IsAbs(other.name) && !strings.HasPrefix(other.name, "..") {
		below, found = other.name, true
	}
	return found && !slices.ContainsFunc(strings.Split(below, "/"), bundle.Hidden)
}

// checkNames adds an error for each case of a bundle that has the name of another one about
// the same operation of the same kind, and for each other one that has it in its file: what
// a report says of the one could be read of the other. Cases of the published form may.
func (p *Plan) checkNames() {
	var problems yamldoc.Problems
	for _, g := range p.Groups {
		if g.published {
			continue
		}
		seen := map[string]*cases.Case{}
		for _, c := range g.Cases {
			key := fmt.Sprintf("%s\x00%s\x00%s", c.Kind(), c.Operation.Name, c.Name)
			if !g.Laws {
				key += "\x00" + c.File
			}
			first, twice := seen[key]
			if !twice {
				seen[key] = c
				continue
			}
			if !p.selection.AllowUnchecked {
				problems.Add(&yamldoc.Error{File: c.File, Line: c.Line, Message: fmt.Sprintf("the case at %s has the name %q too, and the same operation and kind; name one of them differently",
					first.Where(), c.Name)})
			}
		}
	}
	if err := problems.Err(); err != nil {
		p.fail(err)
	}
}
