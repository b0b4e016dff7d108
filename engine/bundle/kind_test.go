// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// Whoever asks about one kind compiles what answers for it. dragoman eval compiled all
// scripts of all bundles for each question.
func TestLoadKind(t *testing.T) {
	page := "    - {group: web.example, versions: [v1], kind: Page}\n"
	fsys := folder(map[string]string{
		"web/bundle.yaml": strings.Replace(manifest, "  parameters:", page+
			"  operations:\n    - {kinds: [Page, Site], functions: {state: lib.a.state}}\n  parameters:", 1),
		"web/Page/health.lua":  "x = = 1",
		"web/lib/a.lua":        "return { state = function() return {} end }",
		"web/lib/broken.lua":   "y = = 1",
		"shop/bundle.yaml":     strings.NewReplacer("name: web", "name: shop", "web.example", "shop.example").Replace(manifest),
		"shop/Site/health.lua": "z = = 1",
	})
	site := schema.GroupVersionKind{Group: "web.example", Version: "v2", Kind: "Site"}
	bundles, err := newLoader(t).LoadKind(fsys, site)
	if err != nil {
		t.Fatal(err)
	}
	if len(bundles) != 2 || bundles[0].Name != "shop" || len(bundles[0].Source.Kinds) != 0 {
		t.Fatalf("got %d bundles; want shop without rules, and web", len(bundles))
	}
	web := bundles[1].Source
	rules := web.Kinds[site]
	if len(rules) != 2 || rules[engine.InterpretHealth] == nil || rules[engine.InterpretState] == nil {
		t.Errorf("got the rules %v; want those for health and state", rules)
	}
	if page := web.Kinds[schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Page"}]; page != nil {
		t.Errorf("got the rules %v for another kind; want none", page)
	}
	if _, err := newLoader(t).LoadKind(fsys, site.GroupVersion().WithKind("Page")); err != nil {
		t.Errorf("a kind that version v2 does not have: %v", err)
	}
	_, err = newLoader(t).LoadKind(fsys, schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Page"})
	if err == nil || !strings.HasPrefix(err.Error(), "web/Page/health.lua:1:5: ") {
		t.Errorf("got error %v; want that of web/Page/health.lua", err)
	}
}
