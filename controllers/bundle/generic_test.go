// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/bundle"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/scripts"
)

func TestGenericAnswersCanBeSwitchedOff(t *testing.T) {
	nobody := schema.GroupVersionKind{Group: "nobody.example", Version: "v1", Kind: "Thing"}
	for name, tc := range map[string]struct {
		reason  string
		generic []string
		want    []engine.Op
	}{
		"Default": {reason: "all are on", want: []engine.Op{engine.InterpretHealth, engine.InterpretDependency}},
		"All":     {reason: "replicas need a CRD", generic: bundle.GenericAnswers(), want: []engine.Op{engine.InterpretHealth, engine.InterpretDependency}},
		"One":     {reason: "each on its own", generic: []string{bundle.GenericDependencies}, want: []engine.Op{engine.InterpretDependency}},
		"None":    {reason: "an empty list is no answer", generic: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := newDeps(t, nil)
			if err := bundle.New(d, bundle.Options{Embedded: scripts.FS, Generic: tc.generic}).Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []engine.Op
			for _, op := range engine.Operations() {
				if d.Interpreter.Snapshot().Origin(nobody, op.Name) == "bundle generic" {
					got = append(got, op.Name)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
