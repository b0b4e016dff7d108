// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/featuregate"

	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/docs"
)

// TestDocumentedDefaults compares the defaults that the document for those who come from Karmada has
// with those of this program.
func TestDocumentedDefaults(t *testing.T) {
	section, err := docs.Section("karmada", "Flags and gates")
	if err != nil {
		t.Fatal(err)
	}
	flags := newCommand(func(logr.Logger) {}, prometheus.NewRegistry()).Flags()
	rows := regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| `([^`]*)` \\| `([^`]*)` \\|$").FindAllStringSubmatch(section, -1)
	for _, row := range rows {
		f := flags.Lookup(row[1])
		switch {
		case f == nil:
			t.Errorf("there is no flag --%s", row[1])
		case f.DefValue != row[3]:
			t.Errorf("--%s is %s by default, and not %s", row[1], f.DefValue, row[3])
		case row[2] == row[3]:
			t.Errorf("--%s has the same default here and there", row[1])
		}
	}
	gates := features.New()
	documented := regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\| (on|off) \\| (on|off) \\|").FindAllStringSubmatch(section, -1)
	for _, row := range documented {
		if name := featuregate.Feature(row[1]); gates.GetAll()[name].Default != (row[3] == "on") || row[2] == row[3] {
			t.Errorf("the gate %s is not %s by default, or it is there too", name, row[3])
		}
	}
	if len(rows) != 5 || len(documented) != 4 {
		t.Errorf("found %d flags and %d gates in\n%s", len(rows), len(documented), section)
	}
}
