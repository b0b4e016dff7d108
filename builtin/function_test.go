// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
)

// call calls a function by name.
func call(t *testing.T, name string, args ...any) (any, error) {
	t.Helper()
	for _, f := range Functions() {
		if f.Name == name {
			before := deepCopy(args)
			result, gas, err := f.Call(args)
			if gas < 0 || err == nil && gas == 0 && len(args) > 0 {
				t.Errorf("%s costs %d units of gas", name, gas)
			}
			if d := cmp.Diff(before, any(args)); d != "" {
				t.Errorf("%s changed its arguments:\n%s", name, d)
			}
			return result, err
		}
	}
	t.Fatalf("there is no function %s", name)
	return nil, nil
}

// deepCopy copies a plain value.
var deepCopy = runtime.DeepCopyJSONValue

// example is one call with what it returns. An error is matched by its start.
type example struct {
	args []any
	want any
	err  string
}

func examples(t *testing.T, name string, tests map[string]example) {
	t.Helper()
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got, err := call(t, name, test.args...)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Errorf("got error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestFunctionsAreDescribed(t *testing.T) {
	types := []string{"any", "string", "boolean", "number", "quantity", "map", "list", "map or list", "path"}
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
		if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") || f.Result == "" || f.Call == nil {
			t.Errorf("%s is not described", f.Name)
		}
		for i, p := range f.Params {
			if p.Name == "" || !slices.Contains(types, p.Type) {
				t.Errorf("%s: parameter %d is %+v", f.Name, i+1, p)
			}
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("the functions are not sorted: %v", names)
	}
}

func TestFunctionsReturnsAFreshSlice(t *testing.T) {
	Functions()[0].Name = "changed"
	if Functions()[0].Name == "changed" {
		t.Error("the list can be changed")
	}
}

func TestSignature(t *testing.T) {
	want := map[string]string{
		"get":                     "get([object], path, [default])",
		"resourceAdd":             "resourceAdd(quantities...)",
		"accuratePodRequirements": "accuratePodRequirements(podTemplate, [times])",
	}
	for _, f := range Functions() {
		if w, ok := want[f.Name]; ok && f.Signature() != w {
			t.Errorf("got %s, want %s", f.Signature(), w)
		}
	}
}

func TestArguments(t *testing.T) {
	want := map[string][2]int{
		"get":                 {2, 3},
		"getResourceQuantity": {0, 1},
		"references":          {2, -1},
		"concat":              {0, -1},
		"sumStatus":           {2, 3},
	}
	for _, f := range Functions() {
		least, most := f.Arguments()
		if w, ok := want[f.Name]; ok && w != [2]int{least, most} {
			t.Errorf("%s: got %d to %d, want %v", f.Name, least, most, w)
		}
	}
}

func TestNumberOfArguments(t *testing.T) {
	examples(t, "accuratePodRequirements", map[string]example{
		"none":  {err: "argument 1 (podTemplate) is missing; the form is accuratePodRequirements(podTemplate, [times])"},
		"three": {args: []any{map[string]any{}, nil, nil}, err: "3 arguments given; the form is accuratePodRequirements(podTemplate, [times])"},
	})
}

// TestPackageStandsAlone keeps the package what its comment describes: pure functions
// that know nothing of a cluster.
func TestPackageStandsAlone(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			pure := path == "k8s.io/apimachinery/pkg/api/resource" || path == "github.com/dragoman-io/dragoman/api/division"
			if strings.Contains(path, ".") && !pure {
				t.Errorf("%s imports %s", name, path)
			}
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				t.Errorf("%s has a variable of the package", name)
			}
		}
	}
}
