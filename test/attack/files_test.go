// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/test/attack"
)

// arguments writes the files of an attack, and returns the arguments of the program.
func arguments(t *testing.T, q attack.Question) []string {
	t.Helper()
	op, err := engine.ParseOperation(q.Operation)
	if err != nil {
		t.Fatal(err)
	}
	sources := q.Sources(attack.Operation{Field: op.Field, Entry: op.Entry, File: op.File, Params: op.ParamNames()})
	var folder string
	if sources.Bundle != nil {
		folder = writeFolder(t, sources.Bundle)
	}
	if q.Form == attack.Folder {
		return []string{"test", folder}
	}
	args := []string{"eval", "--operation", q.Operation, "-o", "json", "-f", object(t, q.Object)}
	switch {
	case folder != "":
		args = append(args, "--bundle", folder)
	case sources.Customization != nil:
		args = append(args, "--customization", write(t, sources.Customization))
	}
	return append(args, second(t, op, q)...)
}

// second returns the flags for what the operation takes beside an object.
func second(t *testing.T, op engine.Operation, q attack.Question) []string {
	t.Helper()
	var args []string
	if op.Takes(engine.ObservedParam) {
		args = append(args, "--observed", object(t, q.Observed))
	}
	if op.Takes(engine.ItemsParam) && q.Items != nil {
		args = append(args, "--items", write(t, q.Items()))
	}
	if op.Takes(engine.CountParam) {
		args = append(args, "--replicas", "3")
	}
	if op.Takes(engine.StateParam) && q.State != nil {
		for k, v := range q.State() {
			if len(k)+len(v) < 100_000 { // the kernel takes no longer argument
				args = append(args, "--state", fmt.Sprintf("%s=%s", k, v))
			}
		}
	}
	return args
}

// object writes an object of the kind of the attacks, with fields of its own.
func object(t *testing.T, fields func() map[string]any) string {
	t.Helper()
	content := attack.Identity()
	if fields != nil {
		for k, v := range fields() {
			content[k] = v
		}
	}
	return write(t, content)
}

// write writes a file that lasts as long as the test: JSON, or YAML where a key is longer
// than the program reads in one line.
func write(t *testing.T, v any) string {
	t.Helper()
	marshal, name := json.Marshal, "file.json"
	if longestKey(v) > 1_000 {
		marshal, name = yamlv3.Marshal, "file.yaml"
	}
	text, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// longestKey returns the length of the longest key in a value.
func longestKey(v any) int {
	longest := 0
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			longest = max(longest, len(k), longestKey(e))
		}
	case []any:
		for _, e := range x {
			longest = max(longest, longestKey(e))
		}
	}
	return longest
}

// writeFolder writes files by their paths below a folder that lasts as long as the test.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "attack")
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
