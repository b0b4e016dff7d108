// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
)

func reportOf(cluster, phase string) map[string]any {
	return map[string]any{"clusterName": cluster, "status": map[string]any{"phase": phase}}
}

func TestItemsComeByTheNameOfTheirCluster(t *testing.T) {
	items := []any{reportOf("c", "3"), reportOf("a", "1"), reportOf("b", "2")}
	lua := `function AggregateStatus(object, items)
  local all = ""
  for _, item in ipairs(items) do all = all .. item.status.phase end
  object.status = {all = all}
  return object
end`
	for name, want := range map[string]struct {
		rule *Rule
		all  string
	}{
		"lua":                       {luaRule(t, AggregateStatus, lua), "123"},
		"cel":                       {celRule(t, AggregateStatus, "{'all': items.map(i, i.status.phase).join()}"), "123"},
		"published, in their order": {published(luaRule(t, AggregateStatus, lua)), "312"},
	} {
		object, err := answering(AggregateStatus, want.rule).Snapshot().Aggregate(site(nil), items)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(any(map[string]any{"all": want.all}), object.Object["status"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := items[0].(map[string]any)["clusterName"]; got != "c" {
		t.Errorf("the caller's items were put in another order: %v is first", got)
	}
}

func TestAnExpressionGivesTheStatusOrAPatch(t *testing.T) {
	before := map[string]any{"phase": "old", "kept": int64(1)}
	for source, want := range map[string]any{
		`{'phase': 'new'}`:                       map[string]any{"phase": "new"},
		`{'status': {'phase': 'new'}}`:           map[string]any{"phase": "new", "kept": int64(1)},
		`{'status': {'phase': null, 'kept': 2}}`: map[string]any{"kept": int64(2)},
		`{}`:                                     before,
		`{'status': null}`:                       nil,
		`object.status`:                          before,
		`{'metadata': {'labels': {}}, 'status': null}`: nil,
	} {
		object := site(nil)
		object.Object["status"] = before
		got, err := answering(AggregateStatus, celRule(t, AggregateStatus, source)).Snapshot().Aggregate(object, nil)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if diff := cmp.Diff(want, got.Object["status"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}

func TestAStatusThatIsNoMapIsRefused(t *testing.T) {
	const lua = "function AggregateStatus(object, items) object.status = 7 return object end"
	for name, rule := range map[string]*Rule{
		"lua": luaRule(t, AggregateStatus, lua), "published": published(luaRule(t, AggregateStatus, lua)),
		"cel": celRule(t, AggregateStatus, "{'status': 7}"),
	} {
		_, err := answering(AggregateStatus, rule).Snapshot().Aggregate(site(nil), nil)
		var failure *script.Error
		if !errors.As(err, &failure) || failure.Code != script.Result || failure.Message != "object.status: want a map, got a number" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
