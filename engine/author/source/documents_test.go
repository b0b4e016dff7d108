// SPDX-License-Identifier: Apache-2.0

package source

import (
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	const file = `apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data:
  a: b
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: two
`
	all, err := Documents("f.yaml", []byte(file))
	if err != nil || len(all) != 2 {
		t.Fatalf("Documents() = %v, %v, want two", all, err)
	}
	for _, tc := range []struct {
		document int
		field    string
		want     string
	}{
		{0, "data.a", "f.yaml:5: ConfigMap/one: data.a: wrong"},
		{0, "data.b[0].c", "f.yaml:4: ConfigMap/one: data.b[0].c: wrong"},
		{1, "metadata.name", "f.yaml:13: Secret/two: metadata.name: wrong"},
		{1, "", "f.yaml:10: Secret/two: wrong"},
	} {
		if got := all[tc.document].Problem(tc.field, "wrong").String(); got != tc.want {
			t.Errorf("Problem(%q) = %s, want %s", tc.field, got, tc.want)
		}
	}
	if _, err := Documents("f.yaml", []byte("a: 1\n")); err == nil || !strings.Contains(err.Error(), "f.yaml:1: want a Kubernetes object") {
		t.Errorf("Documents of no object: %v", err)
	}
}
