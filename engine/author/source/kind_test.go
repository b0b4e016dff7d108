// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	manifestText      = "apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\n"
	customizationText = "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\n"
	objectText        = "apiVersion: v1\nkind: ConfigMap\n"
)

func treeOf(texts map[string]string) *Tree {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return New(files)
}

// TestLook has each kind of file in each kind of home.
func TestLook(t *testing.T) {
	tree := treeOf(map[string]string{
		"bundle/bundle.yaml":                 manifestText,
		"bundle/.dragomanignore":             "drafts/\n",
		"bundle/Kind/testdata/a.yaml":        objectText,
		"bundle/samples/deep/a.yaml":         objectText,
		"bundle/Kind/samples/a.yaml":         objectText,
		"bundle/inner/customizations.yaml":   customizationText,
		"empty/bundle.yaml":                  "",
		"broken/bundle.yaml":                 "kind: [",
		"version/bundle.yaml":                "apiVersion: interpreter.dragoman.io/v9\nkind: Bundle\n",
		"typo/bundle.yaml":                   "apiVersion: interpreter.dragomn.io/v1alpha1\nkind: Bundle\nspec: {kinds: []}\n",
		"fleet/bundle.yaml":                  "apiVersion: fleet.cattle.io/v1alpha1\nkind: Bundle\nspec: {resources: []}\n",
		"named/customizations.yaml":          "",
		"named/other.yaml":                   customizationText,
		"held/a.yaml":                        objectText + "---\n" + customizationText,
		"held/b.json":                        `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "config.karmada.io/v1alpha1", "kind": "ResourceInterpreterCustomization"}]}`,
		"held/words.yaml":                    "# a ResourceInterpreterCustomization\n" + objectText,
		"unfinished/a.yaml":                  customizationText + "spec: [\n",
		"rules/placementrules.yaml":          "",
		"rules/customizations.yaml/keep.txt": "",
		"loose/a.yaml":                       objectText,
	})
	for _, tc := range []struct {
		file string
		kind Kind
		home string
	}{
		{"bundle/bundle.yaml", Manifest, "manifest bundle"},
		{"bundle/Kind/health.lua", Script, "manifest bundle"},
		{"bundle/Kind/HEALTH.CEL", Script, "manifest bundle"},
		{"bundle/Kind/testdata/a.yaml", Cases, "manifest bundle"},
		{"bundle/Kind/testdata/a.JSON", Cases, "manifest bundle"},
		{"bundle/Kind/testdata/.a.yaml", Other, "manifest bundle"},
		{"bundle/Kind/testdata/a.yaml~", Other, "manifest bundle"},
		{"bundle/.git/a.yaml", Other, "manifest bundle"},
		{"bundle/drafts/a.yaml", Other, "manifest bundle"},
		{"bundle/crds/a.yaml", Reference, "manifest bundle"},
		{"bundle/samples/deep/a.yaml", Reference, "manifest bundle"},
		{"bundle/Kind/samples/a.yaml", Cases, "manifest bundle"},
		{"bundle/README.md", Other, "manifest bundle"},
		{"bundle/./Kind/../bundle.yaml", Manifest, "manifest bundle"},
		{"bundle/inner/customizations.yaml", Customizations, "customizations bundle/inner"},
		{"bundle/inner/crds/a.yaml", Cases, "customizations bundle/inner"},
		{"empty/bundle.yaml", Manifest, "manifest empty"},
		{"broken/bundle.yaml", Manifest, "manifest broken"},
		{"version/a.yaml", Cases, "manifest version"},
		{"typo/a.yaml", Cases, "manifest typo"},
		{"fleet/bundle.yaml", Cases, ""},
		{"named/customizations.yaml", Customizations, "customizations named"},
		{"named/other.yaml", Cases, "customizations named"},
		{"named/Kind/health.lua", Script, "customizations named"},
		{"held/a.yaml", Customizations, "customizations held"},
		{"held/b.json", Customizations, "customizations held"},
		{"held/words.yaml", Cases, "customizations held"},
		{"unfinished/a.yaml", Customizations, "customizations unfinished"},
		{"rules/placementrules.yaml", PlacementRules, "placement rules rules"},
		{"rules/deep/a.yaml", Cases, "placement rules rules"},
		{"loose/a.yaml", Cases, ""},
		{"loose/a.lua", Script, ""},
		{"loose/.a.lua", Other, ""},
		{"nowhere/a.yaml", Cases, ""},
	} {
		p := tree.Look(tc.file)
		got := ""
		if p.Home != nil {
			got = fmt.Sprint(p.Home.Kind, " ", p.Home.Dir)
		}
		if p.Kind != tc.kind || got != tc.home {
			t.Errorf("%s is %v of %q; want %v of %q", tc.file, p.Kind, got, tc.kind, tc.home)
		}
	}
}

// TestUntested names the scripts that a customizations.yaml keeps from the cases beside it.
func TestUntested(t *testing.T) {
	tree := treeOf(map[string]string{
		"a/customizations.yaml": customizationText, "a/b.yaml": customizationText, "a/c.yaml": objectText, "a/placementrules.yaml": "",
		"b/b.yaml": customizationText, "b/c.yaml": customizationText,
	})
	want := "a/b.yaml: holds customizations that nothing tests: a/customizations.yaml alone answers the cases of this folder; put them into it, or into a folder of their own\n" +
		"a/placementrules.yaml: nothing tests it: a/customizations.yaml answers the cases of this folder; put it into a folder of its own"
	if d := cmp.Diff(want, fmt.Sprint(tree.Untested(tree.HomeAt("a")))); d != "" {
		t.Errorf("want -, got +:\n%s", d)
	}
	if err := tree.Untested(tree.HomeAt("b")); err != nil {
		t.Errorf("files that are found by what they hold are all tested: %v", err)
	}
}

func TestWalkLeavesOutWhatIsHidden(t *testing.T) {
	tree := treeOf(map[string]string{".root/a.yaml": "", ".root/.b.yaml": "", ".root/c.yaml~": "", ".root/.git/d.yaml": "", ".root/e/f.yaml": ""})
	var got []string
	err := Walk(tree, ".root", func(err error) { t.Error(err) }, func(name string, d fs.DirEntry) error {
		if !d.IsDir() {
			got = append(got, name)
		}
		return nil
	})
	if d := cmp.Diff([]string{".root/a.yaml", ".root/e/f.yaml"}, got); err != nil || d != "" {
		t.Errorf("error %v, want -, got +:\n%s", err, d)
	}
}
