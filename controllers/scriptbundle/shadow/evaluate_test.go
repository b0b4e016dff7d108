// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/compare"
)

var kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}

// object returns a Site of a phase.
func object(name, phase string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Site", "metadata": map[string]any{"namespace": "shop", "name": name},
		"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"phase": phase},
	}}
}

// workload returns one with a copy in a cluster.
func workload(name, phase string, failsOver bool) Workload {
	b := &workv1alpha2.ResourceBinding{}
	if failsOver {
		b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
	}
	return Workload{Template: object(name, ""), Binding: b, Copies: []Copy{{Cluster: "east", Desired: object(name, ""), Observed: object(name, phase)}}}
}

// scripts are a rule set of functions by the names of their files.
func scripts(t *testing.T, c *engine.Compiler, bodies map[engine.Op]string) *engine.RuleSet {
	t.Helper()
	var all []engine.Script
	for op, body := range bodies {
		d, err := engine.Describe(op)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, engine.Script{Operation: op, Text: "function " + d.Entry + "(obj) " + body + " end"})
	}
	set, err := c.Compile("sites", kind, all...)
	if err != nil {
		t.Fatal(err)
	}
	return &set
}

// TestEvaluate has what another set of scripts changes.
func TestEvaluate(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	all := []Workload{workload("a", "Open", false), workload("b", "Closed", true), workload("c", "Closed", false)}
	read := func(_ context.Context, k schema.GroupVersionKind, f func(Workload) error) error {
		if k != kind {
			return errors.New("another kind")
		}
		for _, w := range all {
			if err := f(w); err != nil {
				return err
			}
		}
		return nil
	}
	before := map[engine.Op]string{engine.InterpretHealth: "return true", engine.InterpretReplica: "return 2"}
	for name, tc := range map[string]struct {
		reason  string
		after   map[engine.Op]string
		want    []string // of the counts and the changes
		effects []string
	}{
		"Same": {reason: "nothing changes", after: before, want: []string{"6 asked, 6 same, 0 changed, 0 new, 0 fixed"}, effects: []string{}},
		"Health": {
			reason: "who moves is told apart from who does not", want: []string{"6 asked, 4 same, 2 changed, 0 new, 0 fixed", "InterpretHealth changed 2 shop/b @ east"},
			after: map[engine.Op]string{engine.InterpretHealth: "return kube.get(obj, 'status.phase') ~= 'Closed'", engine.InterpretReplica: "return 2"},
			effects: []string{
				"They count as unhealthy, and their policy moves them to another cluster for that: once, shop/b @ east (unhealthy, was healthy)",
				"They count as unhealthy; no policy moves them for that: once, shop/c @ east (unhealthy, was healthy)",
			},
		},
		"Replicas": {
			reason: "they are placed anew", want: []string{"6 asked, 3 same, 3 changed, 0 new, 0 fixed", "InterpretReplica changed 3 shop/a"},
			after:   map[engine.Op]string{engine.InterpretHealth: "return true", engine.InterpretReplica: "return 3"},
			effects: []string{"They are placed with another number of replicas: 3 times, such as shop/a (3, was 2)"},
		},
		"Requirements": {
			reason: "quotas and clusters count by them", want: []string{"6 asked, 3 same, 3 changed, 0 new, 0 fixed", "InterpretReplica changed 3 shop/a"},
			after:   map[engine.Op]string{engine.InterpretHealth: "return true", engine.InterpretReplica: "return 2, {resourceRequest = {cpu = '1'}}"},
			effects: []string{"Their replicas ask for other resources or nodes, by which clusters are chosen and quotas count: 3 times, such as shop/a"},
		},
		"Fails": {
			reason: "an error is said to be one", want: []string{"6 asked, 5 same, 0 changed, 1 new, 0 fixed", "InterpretHealth new error 1 shop/a @ east"},
			after: map[engine.Op]string{engine.InterpretHealth: "if kube.get(obj, 'status.phase') == 'Open' then error('no') end return true", engine.InterpretReplica: "return 2"},
			effects: []string{
				"Their health is unknown, since InterpretHealth fails: they do not fail over: once, shop/a @ east",
			},
		},
		"Gone": {
			reason: "nothing answers any more", want: []string{"6 asked, 3 same, 0 changed, 0 new, 0 fixed", "InterpretReplica no answer 3 shop/a"},
			after:   map[engine.Op]string{engine.InterpretHealth: "return true"},
			effects: []string{"Whether their replicas are divided changes: 3 times, such as shop/a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := engine.NewInterpreter(engine.Options{})
			if err := i.Set(engine.Installed, *scripts(t, c, before)); err != nil {
				t.Fatal(err)
			}
			r, err := Compare(t.Context(), i, "sites", scripts(t, c, tc.after), read)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{fmt.Sprintf("%d asked, %d same, %d changed, %d new, %d fixed", r.Asked, r.Same, r.Changed, r.NewErrors, r.FixedErrors)}
			for _, change := range r.Changes {
				got = append(got, fmt.Sprint(change.Operation, " ", change.What, " ", change.Count, " ", change.Where[0]))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.effects, r.Effects); diff != "" {
				t.Errorf("what it means (-want +got):\n%s", diff)
			}
			if r.Objects != 6 || r.GasBefore == 0 {
				t.Errorf("%d objects were asked about for %d gas, want 6 for some", r.Objects, r.GasBefore)
			}
		})
	}
}

// TestEvaluateAsksForStateToBeRestored has a template take over the state that each copy leaves.
func TestEvaluateAsksForStateToBeRestored(t *testing.T) {
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	leaves := "return {phase = kube.get(obj, 'status.phase')}"
	before := map[engine.Op]string{engine.InterpretState: leaves, engine.RestoreState: "return obj"}
	after := map[engine.Op]string{engine.InterpretState: leaves, engine.RestoreState: "if obj.status.phase == '' then error('asked about the template') end return obj"}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Installed, *scripts(t, c, before)); err != nil {
		t.Fatal(err)
	}
	quiet := workload("b", "", false)
	quiet.Copies[0].Observed.Object["status"] = map[string]any{}
	read := func(_ context.Context, _ schema.GroupVersionKind, f func(Workload) error) error {
		return errors.Join(f(workload("a", "Open", false)), f(quiet))
	}
	r, err := Compare(t.Context(), i, "sites", scripts(t, c, after), read)
	if err != nil {
		t.Fatal(err)
	}
	if r.Asked != 3 || r.NewErrors != 1 || r.Changes[0].Operation != engine.RestoreState || !strings.HasPrefix(r.Changes[0].Where[0], "shop/a @ east") {
		t.Errorf("got %+v, want the error of RestoreState about what the copy of a leaves", r.Comparison)
	}
	if diff := cmp.Diff([]string{"What a failover carries does not reach the next cluster, since RestoreState fails: once, shop/a @ east"}, r.Effects); diff != "" {
		t.Errorf("what it means (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]compare.Unasked{{Operation: engine.RestoreState, Kind: "Site", Reason: "the object leaves no state, by InterpretState", Count: 1}}, r.Unasked); diff != "" {
		t.Errorf("what was not asked (-want +got):\n%s", diff)
	}
}

func TestEvaluateEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	read := func(_ context.Context, _ schema.GroupVersionKind, f func(Workload) error) error {
		for range 3 {
			asked++
			if err := f(workload("a", "Open", false)); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := Compare(ctx, engine.NewInterpreter(engine.Options{}), "", &engine.RuleSet{Name: "s", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: {}}}, read)
	if !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("got %v after %d objects, want the end of the context after one", err, asked)
	}
}

func TestUnread(t *testing.T) {
	read := func(_ context.Context, _ schema.GroupVersionKind, f func(Workload) error) error {
		w := workload("a", "Open", false)
		w.unread("west", "it is not connected")
		return f(w)
	}
	r, err := Compare(t.Context(), engine.NewInterpreter(engine.Options{}), "", &engine.RuleSet{Name: "s", Kinds: map[schema.GroupVersionKind]engine.Rules{kind: {}}}, read)
	if err != nil {
		t.Fatal(err)
	}
	if want := "not all could be read of west: it is not connected"; !strings.Contains(Summary(r), want) {
		t.Errorf("the summary is %q, want in it %q", Summary(r), want)
	}
}

// TestReportIsBounded has a result that is larger than a status keeps.
func TestReportIsBounded(t *testing.T) {
	r := &Result{Comparison: compare.New()}
	for i := range 100 {
		c := compare.Change{Kind: "Site", Operation: engine.InterpretHealth, What: "changed", Count: i, Message: strings.Repeat("x", 10000)}
		for range 100 {
			c.Where = append(c.Where, strings.Repeat("y", 1000))
		}
		r.Changes = append(r.Changes, c)
		r.Effects = append(r.Effects, strings.Repeat("z", 10000))
	}
	report := reportOf(r, "1")
	size := 0
	for _, c := range report.Changes {
		size += len(c.Example) + len(strings.Join(c.Objects, ""))
	}
	size += len(strings.Join(report.Effects, ""))
	if len(report.Changes) != maxChanges || report.Changes[0].Count != 99 || size > 150_000 {
		t.Errorf("%d changes of %d bytes, the first of %d objects; want %d, those of most objects first", len(report.Changes), size, report.Changes[0].Count, maxChanges)
	}
	if !slices.IsSortedFunc(report.Changes, func(a, b interpreterv1alpha1.ShadowChange) int { return int(b.Count - a.Count) }) {
		t.Error("the changes of most objects must come first")
	}
}
