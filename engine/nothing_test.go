// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRulesWithoutAProgramAreRefused(t *testing.T) {
	for name, rule := range map[string]*Rule{"nil": nil, "empty": {}} {
		i := answering(InterpretReplica, counting(t, "1"))
		err := i.Set(Embedded, RuleSet{Name: "site", Kinds: map[schema.GroupVersionKind]Rules{siteKind: {InterpretReplica: rule}}})
		const want = "rules of site for web.example/v1 Site: the rule for InterpretReplica has no program"
		if err == nil || err.Error() != want {
			t.Errorf("%s: got error %v; want %q", name, err, want)
		}
		if got, err := i.Snapshot().Replicas(site(nil)); err != nil || got.Count != 1 {
			t.Errorf("%s: got %d replicas, error %v; want 1 of the rule from before", name, got.Count, err)
		}
	}
}
