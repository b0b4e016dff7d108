// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// folders are bundles whose files, other than scripts, take long to read or to try.
func folders() []Question {
	folder := func(name string, files func() map[string]string) Question {
		return Question{Name: "folder: " + name, Form: Folder, Operation: status, Source: "return {}", Files: files, Want: Bounded}
	}
	cases := func(text string) func() map[string]string {
		return func() map[string]string { return map[string]string{"Victim/testdata/a.yaml": text} }
	}
	return []Question{
		folder("aliases of aliases in a case", cases(aliases(9, 9))),
		folder("40 documents of aliases", cases(strings.Repeat(aliases(4, 20)+"---\n", 40))),
		folder("10,000 documents", cases(strings.Repeat("a: 1\n---\n", 10_000))),
		folder("merge keys", cases("a: &a {x: 1}\nb:\n"+strings.Repeat("  - <<: *a\n", 50_000))),
		folder("merge keys of merge keys", cases(merges(30))),
		folder("a deep document", cases(strings.Repeat("[", 50_000)+strings.Repeat("]", 50_000))),
		folder("a document of tabs", cases("a:\n"+strings.Repeat("\t", 500_000))),
		folder("a long scalar", cases("a: "+strings.Repeat("x", 1_000_000))),
		folder("a long number", cases("a: "+strings.Repeat("9", 1_000_000))),
		folder("many keys", cases(lines(60_000, "k%d: 1\n"))),
		folder("equal keys", cases(strings.Repeat("k: 1\n", 100_000))),
		folder("aliases in the manifest", func() map[string]string { return map[string]string{"bundle.yaml": manifest + aliases(9, 9)} }),
		folder("200 cases that use all gas", func() map[string]string {
			return caseFiles(200, "while true do end", "{}")
		}),
		folder("a quantity in an expected value", func() map[string]string {
			return expectedFiles(component, "return {{name = 'a', replicas = 1, replicaRequirements = {resourceRequest = {cpu = '1'}}}}", `components: [{name: a, replicas: 1, replicaRequirements: {resourceRequest: {cpu: "0.1e-99999999"}}}]`)
		}),
		folder("a pattern of folded classes in an expected error", func() map[string]string {
			return map[string]string{
				"Victim/status.lua":      "function ReflectStatus(o) error('x') end",
				"Victim/testdata/a.yaml": caseOf("a", status, "expectError:\n  message: '"+filled(folded, 26_000)+"'\n"),
			}
		}),
		folder("12,000 conditions on one line", cases(caseOf("a", health, "assert: ["+strings.Repeat("result.healthy==false, ", 12_000)+"]\n"))),
		folder("12,000 conditions on one line that is not ASCII", cases(caseOf("a", health, "assert: [true || result.healthy || 'ä' == '', "+strings.Repeat("result.healthy==false, ", 12_000)+"]\n"))),
		folder("a subset of 100 dependencies", subsetFiles),
		folder("20,000 paths with stars, in three files", starFiles),
		folder("paths of stars in deep maps", func() map[string]string {
			deep := strings.Repeat("{a: ", 60) + "1" + strings.Repeat("}", 60)
			return map[string]string{
				"Victim/status.lua":      "function ReflectStatus(o) return o.spec end",
				"Victim/testdata/a.yaml": strings.Replace(caseOf("a", status, "output: {status: "+deep+"}\nignore: ['status"+strings.Repeat(".*", 60)+"']\n"), "spec: {}", "spec: "+deep, 1),
			}
		}),
		folder("fifteen patterns of 127 repetitions", patternFiles(15, strings.Repeat("a{0,999}", 127))),
		folder("fifteen patterns of a repetition", patternFiles(15, "xa{999}b")),
		folder("900 patterns of a short repetition", patternFiles(900, "a{300}")),
		folder("a base of 22,000 values and 17,000 rows", cases("base: {apiVersion: attack.example/v1, kind: Victim, list: ["+strings.Repeat("1,", 22_000)+"]}\n---\n"+
			"name: a\nobservedObj: {}\noperation: InterpretStatus\noutput: {status: {}}\neach: ["+strings.Repeat("1,", 17_000)+"]\n")),
		folder("answers of escaped texts that are compared", func() map[string]string {
			return caseFiles(200, `return {a = string.rep('\\1', 600000)}`, "{a: b}")
		}),
		folder("3,000 scripts of nothing", func() map[string]string {
			files := map[string]string{}
			for i := range 3_000 {
				files[fmt.Sprintf("lib/m%d.lua", i)] = "return {}"
			}
			return files
		}),
		folder("a hundred broken scripts", func() map[string]string {
			files := map[string]string{}
			for i := range 100 {
				files[fmt.Sprintf("lib/m%d.lua", i)] = strings.Repeat("a,", 32_000) + "= 1"
			}
			return files
		}),
	}
}

// manifest is that of the bundle of the attacks.
const manifest = `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata:
  name: attack
spec:
  description: an attack
  kinds:
    - group: attack.example
      versions: [v1]
      kind: Victim
`

// aliases is a document whose anchors double: levels of width aliases each.
func aliases(levels, width int) string {
	var b strings.Builder
	b.WriteString("x0: &x0 [" + strings.Repeat("a,", width) + "a]\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), width), ","))
	}
	return b.String()
}

// merges is a document of maps that each merge the one before twice.
func merges(n int) string {
	var b strings.Builder
	b.WriteString("m0: &m0 {a: 1}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "m%d: &m%d\n  <<: [*m%d, *m%d]\n  k%d: *m%d\n", i, i, i-1, i-1, i, i-1)
	}
	return b.String()
}

// lines returns n lines of a format with their number.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// caseOf is a case of a bundle.
func caseOf(name, operation, expected string) string {
	return fmt.Sprintf(`name: %s
desiredObj:
  apiVersion: attack.example/v1
  kind: Victim
  metadata: {name: a, namespace: b}
  spec: {}
operation: %s
%s`, name, operation, expected)
}

// caseFiles are n cases of a script for a status.
func caseFiles(n int, body, expected string) map[string]string {
	files := map[string]string{"Victim/status.lua": "function ReflectStatus(o) if not o.spec then return {} end " + body + " end"}
	for i := range n {
		files[fmt.Sprintf("Victim/testdata/c%d.yaml", i)] = caseOf(fmt.Sprintf("c%d", i), status, "output:\n  status: "+expected+"\n")
	}
	return files
}

// expectedFiles is a script, and a case with what it expects.
func expectedFiles(operation, body, expected string) map[string]string {
	return map[string]string{
		"Victim/components.lua":  "function GetComponents(o) " + body + " end",
		"Victim/testdata/a.yaml": caseOf("a", operation, "output:\n  "+expected+"\n"),
	}
}
