// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// mount writes a version of a ConfigMap as the kubelet does: the files lie in a folder
// of that version, ..data leads there, and a link for each key leads through ..data.
func (s *site) mount(name, version string, data map[string]string) {
	s.Helper()
	dir := filepath.Join(s.path, name)
	s.write(filepath.Join(name, version), data)
	before, _ := os.Readlink(filepath.Join(dir, "..data"))
	s.do(os.Symlink(version, filepath.Join(dir, "..data_tmp")))
	s.do(os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	entries, err := os.ReadDir(filepath.Join(dir, version))
	s.do(err)
	for _, e := range entries {
		if err := os.Symlink(filepath.Join("..data", e.Name()), filepath.Join(dir, e.Name())); !os.IsExist(err) {
			s.do(err)
		}
	}
	if before != "" {
		s.do(os.RemoveAll(filepath.Join(dir, before)))
	}
}

func TestAConfigMapIsABundle(t *testing.T) {
	for name, inFolders := range map[string]bool{"with flat keys": false, "with paths in the items": true} {
		t.Run(name, func(t *testing.T) {
			version := func(n string) map[string]string {
				data := files("a", n)
				data["lib/number.lua"] = "return { value = " + n + " }"
				data["Site/replicas.lua"] = "local number = require('lib.number')\nfunction GetReplicas(obj) return number.value end"
				if !inFolders {
					data["Site.replicas.lua"], data["lib.number.lua"] = data["Site/replicas.lua"], data["lib/number.lua"]
					delete(data, "Site/replicas.lua")
					delete(data, "lib/number.lua")
				}
				return data
			}
			s, d := newSite(t, false, nil)
			s.run(d)
			s.mount("a", "..2026_01_01", version("1"))
			s.makeStable("a")
			s.is("a", bundle.Active)
			s.mount("a", "..2026_01_02", version("2"))
			s.makeStable("a/..data")
			s.is("a", bundle.Active)
			if got := s.replicas("a"); got != 2 {
				t.Errorf("a answers %d; want 2, as in the second version", got)
			}
		})
	}
}

func TestAConfigMapIsFoundByPolling(t *testing.T) {
	s, d := newSite(t, true, nil)
	s.run(d)
	flat := func(n string) map[string]string {
		return map[string]string{"bundle.yaml": files("a", n)["bundle.yaml"], "Site.replicas.lua": replicasScript(n)}
	}
	s.mount("a", "..2026_01_01", flat("1"))
	s.step(d.options.Poll)
	s.mount("a", "..2026_01_02", flat("2"))
	s.step(d.options.Poll)
	if got := s.replicas("a"); got != 2 {
		t.Errorf("a answers %d; want 2, as in the second version", got)
	}
}

func TestPlace(t *testing.T) {
	for name, want := range map[string]string{
		"bundle.yaml":                       "bundle.yaml",
		"README.md":                         "README.md",
		"README.de.md":                      "README.de.md",
		"Site.health.lua":                   "Site/health.lua",
		"lib.memory.lua":                    "lib/memory.lua",
		"Site.testdata.health.yaml":         "Site/testdata/health.yaml",
		"Site.testdata.health.v2.yaml":      "Site/testdata/health.v2.yaml",
		"Site.testdata.yaml":                "Site/testdata.yaml",
		"Site/health.lua":                   "Site/health.lua",
		"Site/testdata/health.example.yaml": "Site/testdata/health.example.yaml",
	} {
		if got := bundle.PathOf(name); got != want {
			t.Errorf("%s is %s; want %s", name, got, want)
		}
	}
}
