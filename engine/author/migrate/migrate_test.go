// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

func compiler(t *testing.T) *engine.Compiler {
	t.Helper()
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// customization returns one of a name for a version of Cache with a script for health, and for replicas where
// that is not empty.
func customization(name, version, health, replicas string) *configv1alpha1.ResourceInterpreterCustomization {
	o := &configv1alpha1.ResourceInterpreterCustomization{}
	o.Name = name
	o.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: "cache.example.com/" + version, Kind: "Cache"}
	o.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{CELExpression: health}
	if replicas != "" {
		o.Spec.Customizations.ReplicaResource = &configv1alpha1.Script{CELExpression: replicas}
	}
	return o
}

func TestBundleOfWhatItCannotBe(t *testing.T) {
	const replicas = `{"replicas": 1}`
	tests := map[string]struct {
		objects []*configv1alpha1.ResourceInterpreterCustomization
		want    string
	}{
		"two answer the same": {
			[]*configv1alpha1.ResourceInterpreterCustomization{customization("a", "v1", "true", ""), customization("b", "v1", "true", "")},
			"a and b: both answer InterpretHealth for cache.example.com/v1 Cache",
		},
		"versions differ": {
			[]*configv1alpha1.ResourceInterpreterCustomization{customization("a", "v1", "true", ""), customization("b", "v2", "false", "")},
			"b: spec.customizations.healthInterpretation is not the same as for another version or group of Cache",
		},
		"a version lacks a script": {
			[]*configv1alpha1.ResourceInterpreterCustomization{customization("a", "v1", "true", replicas), customization("b", "v2", "true", "")},
			"a: it answers replicas for cache.example.com/v1 and nothing does for cache.example.com/v2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Bundle(compiler(t), "caches", test.objects, nil, Selection{})
			var inexpressible *InexpressibleError
			if !errors.As(err, &inexpressible) || !strings.HasPrefix(inexpressible.Error(), test.want) {
				t.Errorf("error %v; want %s", err, test.want)
			}
		})
	}
}

func TestBundleOfVersionsWithTheSameScripts(t *testing.T) {
	made, err := Bundle(compiler(t), "caches", []*configv1alpha1.ResourceInterpreterCustomization{customization("a", "v1", "true", ""), customization("b", "v2", "true", "")}, nil, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(made.Files["bundle.yaml"], "versions: [v1, v2]") || made.Files["Cache/health.cel"] != "true\n" {
		t.Errorf("the files are %v", made.Files)
	}
}

func TestNothingIsChosen(t *testing.T) {
	_, err := Bundle(compiler(t), "caches", []*configv1alpha1.ResourceInterpreterCustomization{customization("a", "v1", "true", "")}, nil, Selection{Kinds: []string{"Store"}})
	if !errors.Is(err, ErrNothing) {
		t.Errorf("error %v; want %v", err, ErrNothing)
	}
}

// TestCustomizationsOfAModule checks that modules which require each other are in a script once, and that a
// function of a module may answer.
func TestCustomizationsOfAModule(t *testing.T) {
	files := fstest.MapFS{
		"b/bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: b}\nspec:\n" +
			"  kinds: [{group: cache.example.com, versions: [v1], kind: Cache}]\n  operations: [{kinds: [Cache], functions: {health: lib.top.health}}]\n")},
		"b/lib/top.lua": {Data: []byte("local low = require(\"lib.low\")\nlocal M = {}\nfunction M.health(o)\n  return low.up(o) and require('lib.low').up(o)\nend\nreturn M\n")},
		"b/lib/low.lua": {Data: []byte("local M = {}\nfunction M.up(o)\n  return o.metadata ~= nil\nend\nreturn M\n")},
	}
	made, err := Customizations(compiler(t), files, "b", nil, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	text := made.Objects[0].Spec.Customizations.HealthInterpretation.LuaScript
	for part, times := range map[string]int{`modules["lib.low"] = function()`: 1, `modules["lib.top"] = function()`: 1, "require": 0, "bundleModule": 4} {
		if got := strings.Count(text, part); got != times {
			t.Errorf("%q is there %d times, want %d, in\n%s", part, got, times, text)
		}
	}
}
