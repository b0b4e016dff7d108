// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"
)

func FuzzManifest(f *testing.F) {
	f.Add(manifest)
	f.Add("spec: {kinds: [{group: g, versions: [v], kind: K}]}")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readManifest("bundle.yaml", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "bundle.yaml") {
			t.Errorf("error without a file: %v", err)
		}
		if err == nil && (m.Name == "" || len(m.Kinds) == 0) {
			t.Errorf("a manifest without name or kinds is good: %+v", m)
		}
	})
}
