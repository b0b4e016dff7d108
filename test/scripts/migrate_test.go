// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/migrate"
	"github.com/dragoman-io/dragoman/scripts"
)

// inexpressible are the bundles that customizations cannot be, and what says so.
var inexpressible = map[string]string{
	"cloudnative-pg": "spec.related: a customization sees no objects",
	"flink":          "spec.related: a customization sees no objects",
	"generic":        "spec.kinds: a customization is for one kind",
}

// TestMigrateBundles turns each bundle into customizations and back, and asks all cases in each form. The
// answers are the same, but for those that one of the forms does not have.
func TestMigrateBundles(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	compared, changed := 0, 0
	for _, b := range bundles(t) {
		made, err := migrate.Customizations(c, scripts.FS, b.Name, nil, migrate.Selection{})
		if what := inexpressible[b.Name]; what != "" {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: error %v; want %s", b.Name, err, what)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		back, err := migrate.Bundle(c, b.Name, made.Objects, casesOf(t, b), migrate.Selection{})
		if err != nil {
			t.Errorf("%s, as a bundle again: %v", b.Name, err)
			continue
		}
		compared += made.Compared + back.Compared
		for _, d := range slices.Concat(made.Changed, back.Changed) {
			changed++
			if !isOfOneForm(d) {
				t.Errorf("%s: %v", b.Name, d)
			}
		}
	}
	if compared < 4_000 || changed > compared/12 {
		t.Errorf("%d answers were compared and %d are not the same: the test sees too few, or too many", compared, changed)
	}
}

// isOfOneForm reports whether an answer is one that only bundles have: that nothing is known yet, a number of
// replicas that is not whole, an empty map or list that the object had not at its place, and null.
func isOfOneForm(d *migrate.AnswerError) bool {
	empty := []string{"{}", "[]", "null"}
	return strings.Contains(d.Before+d.After, "got nil") || strings.Contains(d.Before+d.After, "want a whole number, got 1.5") ||
		slices.Contains(empty, d.Before) || slices.Contains(empty, d.After)
}
