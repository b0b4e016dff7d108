// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TestRevise asks with and without a division, scripts of both forms and both languages.
func TestRevise(t *testing.T) {
	const (
		two      = `function ReviseReplica(desiredObj, desiredReplica) desiredObj.spec.pages = desiredReplica return desiredObj end`
		three    = `function ReviseReplica(o, n, division) o.spec.pages, o.spec.total = n, kube.share(o.spec.total, division) return o end`
		language = `{"spec": {"pages": replicas, "total": kube.share(object.spec.total, division)}}`
	)
	division := Division{Cluster: "east", Shares: Shares([]workv1alpha2.TargetCluster{{Name: "east", Replicas: 2}, {Name: "west", Replicas: 1}})}
	customized := func(source string) *Rule {
		rule := luaRule(t, ReviseReplica, source)
		rule.Compat = true
		return rule
	}
	cases := map[string]struct {
		reason   string
		rule     *Rule
		division Division
		want     int64
	}{
		"TwoParameters":      {"a script need not have the third", luaRule(t, ReviseReplica, two), division, 7},
		"Published":          {"nor need one of the published form", customized(two), division, 7},
		"Lua":                {"its share of the number", luaRule(t, ReviseReplica, three), division, 5},
		"LuaUndivided":       {"each copy is whole", luaRule(t, ReviseReplica, three), Division{Cluster: "east"}, 7},
		"PublishedForm":      {"a customization may divide too", customized(three), division, 5},
		"PublishedUndivided": {"or not", customized(three), Division{}, 7},
		"CEL":                {"its share of the number", celRule(t, ReviseReplica, language), division, 5},
		"CELUndivided":       {"each copy is whole", celRule(t, ReviseReplica, language), Division{}, 7},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := site(nil)
			object.Object["spec"] = map[string]any{"pages": int64(3), "total": int64(7)}
			got, err := answering(ReviseReplica, tc.rule).Snapshot().Revise(object, 2, tc.division)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"pages": int64(2), "total": tc.want}, got.Object["spec"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReviseRefusesSharesThatAreNoMaps(t *testing.T) {
	v := answering(ReviseReplica, luaRule(t, ReviseReplica, `function ReviseReplica(o) return o end`)).Snapshot()
	_, err := v.Evaluate(Request{Operation: ReviseReplica, Object: site(nil), Division: Division{Shares: []any{"east"}}})
	if err == nil {
		t.Error("a share that is a text is no error")
	}
}
