// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine"
)

// operationsPage is the page that has a section for each operation.
const operationsPage = "docs/operations.md"

var (
	sectionOf = regexp.MustCompile(`(?m)^## ([A-Z][A-Za-z]+)$`)
	rowOf     = regexp.MustCompile("(?m)^\\| ([A-Z][A-Za-z]+) \\| `(\\w+)` \\|$")
)

// TestOperations compares the page with the table of the engine: names and their order,
// files, functions, results, fields, and examples in both languages.
func TestOperations(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, operationsPage))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	var want, wantFields, got, gotFields []string
	for _, op := range engine.Operations() {
		want = append(want, string(op.Name))
		wantFields = append(wantFields, fmt.Sprint(op.Name, " ", op.Field))
		checkSection(t, section(page, string(op.Name)), op)
	}
	for _, m := range sectionOf.FindAllStringSubmatch(page, -1) {
		got = append(got, m[1])
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the sections of %s (-the engine +the page):\n%s", operationsPage, d)
	}
	for _, m := range rowOf.FindAllStringSubmatch(page, -1) {
		gotFields = append(gotFields, m[1]+" "+m[2])
	}
	if d := cmp.Diff(wantFields, gotFields); d != "" {
		t.Errorf("the fields in %s (-the engine +the page):\n%s", operationsPage, d)
	}
}

// checkSection looks for what a section must have.
func checkSection(t *testing.T, text string, op engine.Operation) {
	t.Helper()
	wanted := []string{
		fmt.Sprintf("`%s`, `%s(%s)`", op.File, op.Entry, strings.Join(op.ParamNames(), ", ")),
		"-- lua/Queue/" + op.File + ".lua", "// cel/Queue/" + op.File + ".cel",
	}
	for _, result := range op.ResultNames() {
		wanted = append(wanted, "`"+result+"`")
	}
	for _, part := range wanted {
		if !strings.Contains(text, part) {
			t.Errorf("%s: the section %s lacks %s", operationsPage, op.Name, part)
		}
	}
}

// section returns the text below a heading up to the next one.
func section(page, name string) string {
	_, text, _ := strings.Cut(page, "\n## "+name+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}
