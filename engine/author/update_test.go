// SPDX-License-Identifier: Apache-2.0

package author

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// FuzzReplaceOutput writes an answer into each case of a text that is read as cases. What it writes
// is read again as the same cases, or refused.
func FuzzReplaceOutput(f *testing.F) {
	const object = "observedObj: {apiVersion: a/v1, kind: A, metadata: {name: a}}\noperation: InterpretHealth\n"
	for _, text := range []string{
		"name: a\n" + object + "output: {healthy: true}\n",
		"name: a\n" + object + "output:\n  healthy: true # c\n---\n# b\nname: b\n" + object + "output:\n  healthy: &x false\n\n# end\n",
		"--- \nname: a\noutput:\n  healthy: |\n    text\n  # c\n" + object,
		"? name\n: a\n? output\n: {healthy: true}\n" + object,
		"{name: a, observedObj: {apiVersion: a/v1, kind: A, metadata: {name: a}}, operation: InterpretHealth, output: {healthy: true}}",
		"name: a\r\noutput: {healthy: true}\r\nobservedObj: {apiVersion: a/v1, kind: A, metadata: {name: a}}\r\noperation: InterpretHealth\r\n...\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := cases.Read(nil, "a.yaml", []byte(text))
		if err != nil {
			return
		}
		for _, c := range all {
			lines := strings.SplitAfter(text, "\n")
			before := strings.Join(lines, "")
			updated, err := replaceOutput(lines, c.Line, map[string]any{"healthy": nil, "status": map[string]any{"a": []any{int64(1), "b"}}})
			if strings.Join(lines, "") != before {
				t.Fatal("the lines that were given are changed")
			}
			if err == nil {
				_ = sameCases("a.yaml", []byte(text), []byte(strings.Join(updated, ""))) // it must return
			}
		}
	})
}
