// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	yamlv3 "go.yaml.in/yaml/v3"
)

// patched returns what the library that the published control plane uses makes of a JSON
// document.
func patched(document []byte, o Operation) ([]byte, error) {
	patch := fmt.Sprintf(`[{"op":%q,"path":%s`, o.Operator, quoted(o.Path))
	if o.Operator != Remove {
		patch += `,"value":` + string(o.Value)
	}
	p, err := jsonpatch.DecodePatch([]byte(patch + "}]"))
	if err != nil {
		return nil, err
	}
	return p.Apply(document)
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// sameJSON reports whether two JSON documents are equal, numbers by their text.
func sameJSON(a, b []byte) bool {
	return canonical(a) == canonical(b)
}

// canonical returns JSON with sorted keys.
func canonical(data []byte) string {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "invalid: " + err.Error()
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// plain returns what a YAML document means as JSON, aliases and merges written out and
// numbers by their text; false if it means nothing in JSON.
func plain(t *testing.T, text string) ([]byte, bool) {
	t.Helper()
	d, err := parseYAML(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	left := 10000
	v, ok := plainNode(d.root(), &left)
	if !ok {
		return nil, false
	}
	b, err := json.Marshal(v)
	return b, err == nil
}

func plainNode(n *yamlv3.Node, left *int) (any, bool) {
	if *left--; *left < 0 {
		return nil, false
	}
	n = behind(n)
	switch n.Kind {
	case yamlv3.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			v, ok := plainNode(c, left)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case yamlv3.MappingNode:
		return plainMap(n, left)
	}
	if n.ShortTag() == "!!null" {
		return nil, true
	}
	return n.ShortTag() + " " + n.Value, true
}

func plainMap(n *yamlv3.Node, left *int) (any, bool) {
	m, own := map[string]any{}, map[string]bool{}
	var merges []*yamlv3.Node
	for i := 0; i < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			merges = append(merges, n.Content[i+1])
			continue
		}
		key, ok := keyText(n.Content[i])
		v, good := plainNode(n.Content[i+1], left)
		if !ok || !good || own[key] {
			return nil, false
		}
		m[key], own[key] = v, true
	}
	for _, source := range merges {
		sources := []*yamlv3.Node{source}
		if s := behind(source); s.Kind == yamlv3.SequenceNode {
			sources = s.Content
		}
		for _, s := range sources {
			v, ok := plainNode(s, left)
			merged, isMap := v.(map[string]any)
			if !ok || !isMap {
				return nil, false
			}
			for key, value := range merged {
				if _, exists := m[key]; !exists {
					m[key] = value
				}
			}
		}
	}
	return m, true
}

// plainValueOf returns a JSON value as plain writes a document with it.
func plainValueOf(t *testing.T, value []byte) []byte {
	t.Helper()
	n, err := yamlValue(value)
	if err != nil {
		t.Fatal(err)
	}
	left := 10000
	v, ok := plainNode(n, &left)
	if !ok {
		return nil
	}
	b, _ := json.Marshal(v)
	return b
}
