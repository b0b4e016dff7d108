// SPDX-License-Identifier: Apache-2.0

package bundle

import "testing"

func TestUnknownParameterNamesItsBundles(t *testing.T) {
	with := func(name string, parameters ...string) *Bundle {
		b := &Bundle{}
		b.Name = name
		for _, p := range parameters {
			b.Parameters = append(b.Parameters, Parameter{Name: p})
		}
		return b
	}
	bundles := []*Bundle{with("argo", "failedRuns"), with("flink", "failedRuns", "memoryUnits")}
	for choice, want := range map[string]string{
		"failedRun=x": `there is no parameter "failedRun"; did you mean argo.failedRuns, flink.failedRuns?`,
		"foo=x":       `there is no parameter "foo"; known are argo.failedRuns, flink.failedRuns, flink.memoryUnits`,
		"foo":         `parameter "foo": want [BUNDLE.]NAME=VALUE`,
	} {
		if _, err := Choose(bundles, []string{choice}); err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", choice, err, want)
		}
	}
}
