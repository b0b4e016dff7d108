// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
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

func TestNoObjectIsAnError(t *testing.T) {
	for _, rules := range []*Interpreter{NewInterpreter(Options{}), answering(InterpretReplica, counting(t, "1"))} {
		v := rules.Snapshot()
		asked := map[string]error{}
		_, asked["Aggregate"] = v.Aggregate(nil, nil)
		_, asked["Components"] = v.Components(nil)
		_, asked["Dependencies"] = v.Dependencies(nil)
		_, asked["Finished"] = v.Finished(nil)
		_, asked["Health"] = v.Health(nil)
		_, asked["Prune"] = v.Prune(nil)
		_, asked["Replicas"] = v.Replicas(nil)
		_, asked["Restore"] = v.Restore(nil, nil)
		_, asked["Retain"] = v.Retain(nil, nil)
		_, asked["Revise"] = v.Revise(nil, 1, Division{})
		_, asked["State"] = v.State(nil)
		_, asked["Status"] = v.Status(nil)
		for _, op := range Operations() {
			_, asked[string(op.Name)] = v.Evaluate(Request{Operation: op.Name})
		}
		for name, err := range asked {
			if err == nil || errors.Is(err, ErrNoRule) || !strings.Contains(err.Error(), "no object is given") {
				t.Errorf("%s of nil: got error %v", name, err)
			}
		}
	}
}
