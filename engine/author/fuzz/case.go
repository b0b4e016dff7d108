// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// ID identifies what was found: the same finding has the same in each run and with each seed.
func (f Finding) ID() string {
	sum := sha256.Sum256([]byte(f.key))
	return hex.EncodeToString(sum[:4])
}

// File returns the file of the case of a finding, below the folder of the bundle.
func (f Finding) File() string { return path.Join(f.Kind, bundle.CasesDir, "fuzz-"+f.ID()+".yaml") }

// Case returns a case about the object of a finding. That of an error fails until the script answers, and
// expects an answer that knows nothing, or changes nothing: what must come of the object, a person says. That
// of a law passes, and dragoman test checks the law on its object.
func (f Finding) Case(c *engine.Compiler, fsys fs.FS, dir string, seed uint64) ([]byte, error) {
	comment := fmt.Sprintf("# Found by dragoman fuzz --seed %d: %s\n", seed, f.summary())
	if f.Law != "" {
		recorded, err := author.RecordCases(c, fsys, dir, author.RecordOptions{Object: f.Object, Name: "fuzz " + f.ID(), Operations: []engine.Op{f.Operation}})
		if err != nil {
			return nil, err
		}
		return append([]byte(comment), recorded.Text...), nil
	}
	return f.failing(comment, f.question)
}

// summary returns the finding in a line.
func (f Finding) summary() string {
	what := f.Message
	if f.Law != "" {
		what = fmt.Sprintf("law %q: %s", f.Law, f.Message)
	}
	return strings.ReplaceAll(what, "\n", " ")
}

// failing returns a case of a script that fails.
func (f Finding) failing(comment string, q engine.Request) ([]byte, error) {
	text := comment + "# NEEDS REVIEW: say what must come of this object.\n"
	op := author.OperationOf(q.Operation)
	entries := []struct {
		key   string
		value any
	}{{"name", "fuzz " + f.ID() + ": " + op.File}}
	add := func(key string, value any) {
		entries = append(entries, struct {
			key   string
			value any
		}{key, value})
	}
	for _, key := range author.ObjectKeys(op) {
		add(key, f.Object.Object)
	}
	if op.Takes(engine.ItemsParam) {
		add("statusItems", q.Items)
	}
	if op.Takes(engine.CountParam) {
		add("inputReplicas", q.Replicas)
	}
	if op.Takes(engine.StateParam) {
		add("state", q.State)
	}
	add("operation", string(op.Name))
	if op.Patch {
		add("changes", map[string]any{})
	} else {
		output := map[string]any{}
		for _, r := range op.Results {
			if !r.Optional {
				output[r.Name] = nil
			}
		}
		add("output", output)
	}
	for _, e := range entries {
		part, err := yaml.Marshal(map[string]any{e.key: e.value})
		if err != nil {
			return nil, err
		}
		text += string(part)
	}
	return []byte(text), nil
}
