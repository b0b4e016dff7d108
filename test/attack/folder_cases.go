// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"fmt"
	"strings"
)

// subsetFiles are a case whose subset of 100 dependencies leads to the longest augmenting paths: each wanted item is
// contained in its own and in all before it, each of which has a wanted one already.
func subsetFiles() map[string]string {
	const n = 100
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "{kind: Secret, labelSelector: {matchLabels: {k%03d: x}}}, ", i)
	}
	return map[string]string{
		"Victim/dependencies.lua": `function GetDependencies(o)
  local all = {}
  if not o.spec then return all end
  for i = 0, 99 do
    local labels = {}
    for k = i, 99 do labels[string.format('k%03d', k)] = 'x' end
    all[i + 1] = {apiVersion = 'v1', kind = 'Secret', namespace = 'x', name = string.format('n%03d', i), labelSelector = {matchLabels = labels}}
  end
  return all
end`,
		"Victim/testdata/a.yaml": caseOf("a", dependency, "expectSubset: {dependencies: ["+want.String()+"]}\n"),
	}
}

// starFiles are cases that ignore 20,000 paths with a star each of an answer with thousands of values.
func starFiles() map[string]string {
	files := map[string]string{"Victim/status.lua": "function ReflectStatus(o) local l = {} for i = 1, 9000 do l[i] = {a = i} end return {list = l} end"}
	for i := range 3 {
		files[fmt.Sprintf("Victim/testdata/%d.yaml", i)] = caseOf("a", status, "output: {status: {list: []}}\nignore: ["+strings.Repeat("'status.list[*].b', ", 6_700)+"]\n")
	}
	return files
}

// patternFiles are cases of an error that expect a pattern each.
func patternFiles(n int, pattern string) func() map[string]string {
	return func() map[string]string {
		one := caseOf("a", status, "expectError: {message: '"+pattern+"'}\n")
		return map[string]string{
			"Victim/status.lua":      "function ReflectStatus(o) if o.spec then error(string.rep('a', 500)) end return {} end",
			"Victim/testdata/a.yaml": strings.Repeat(one+"---\n", n),
		}
	}
}
