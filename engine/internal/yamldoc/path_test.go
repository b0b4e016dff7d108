// SPDX-License-Identifier: Apache-2.0

package yamldoc

import "testing"

const tree = `# a comment
spec:
  taints:
  - key: a
  -
    key: b
metadata:
  labels:
    a.b/c: x
---
list: [[1], [2,
 3]]
`

func TestAtFindsTheLineOfAPath(t *testing.T) {
	nodes, err := Read("f.yaml", []byte(tree))
	if err != nil || len(nodes) != 2 {
		t.Fatalf("got %d documents, error %v", len(nodes), err)
	}
	for _, c := range []struct {
		document int
		path     string
		line     int
		found    string
	}{
		{0, "", 2, ""},
		{0, "spec", 2, "spec"},
		{0, "spec.taints[0].key", 4, "spec.taints[0].key"},
		{0, "spec.taints[1].key", 6, "spec.taints[1].key"},
		{0, "spec.taints[1].effect", 6, "spec.taints[1]"},
		{0, "spec.taints[2].key", 3, "spec.taints"},
		{0, "spec.taints[x]", 3, "spec.taints"},
		{0, "spec.placement.clusterAffinity", 2, "spec"},
		{0, "metadata.labels[a.b/c]", 9, "metadata.labels.a.b/c"},
		{0, "metadata.labels[a.b/d]", 8, "metadata.labels"},
		{0, "status", 2, ""},
		{1, "list[1][1]", 12, "list[1][1]"},
		{1, "list[1][", 11, "list[1]"},
	} {
		if n := nodes[c.document].At(c.path); n.Line != c.line || n.Path != c.found {
			t.Errorf("%q: got %q at line %d; want %q at line %d", c.path, n.Path, n.Line, c.found, c.line)
		}
	}
}

func TestTextLineFindsTheLineOfAText(t *testing.T) {
	nodes, err := Read("f.yaml", []byte(`a: 1
---
literal: |
  one
  two
kept: |2+

  two
folded: >
  one
  two
plain: one
quoted: "one"
below:
  one
several: "one

  two"
`))
	if err != nil || len(nodes) != 2 {
		t.Fatalf("got %d documents, error %v", len(nodes), err)
	}
	for _, c := range []struct {
		key        string
		line, want int
		known      bool
	}{
		{"literal", 1, 4, true},
		{"literal", 2, 5, true},
		{"kept", 2, 8, true},
		{"folded", 1, 9, false},
		{"plain", 1, 12, true},
		{"quoted", 1, 13, true},
		{"below", 1, 15, true},
		{"several", 2, 16, false},
		{"none", 1, 3, false},
	} {
		if got, known := nodes[1].Get(c.key).TextLine(c.line); got != c.want || known != c.known {
			t.Errorf("line %d of %s: got %d, %t; want %d, %t", c.line, c.key, got, known, c.want, c.known)
		}
	}
}
