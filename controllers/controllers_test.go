// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(t *testing.T, asked ...string) []string {
	t.Helper()
	all, err := Hub(Deps{}, Options{Names: asked})
	if err != nil {
		t.Fatal(err)
	}
	return Names(all)
}

// with returns a list with one more name, before another one.
func with(list []string, name, before string) []string {
	return slices.Insert(slices.Clone(list), slices.Index(list, before), name)
}

func TestHub(t *testing.T) {
	want := []string{
		"bundle", "customization", "scriptbundle", "scriptbundle.source", "scriptbundle.shadow", "placementrule", "bundle.scale", "admission", "cluster.lifecycle", "cluster.status", "cluster.orphans", "cluster.taints", "cluster.taintpolicy", "cluster.failover", "policy", "policy.status", "clusterpolicy", "clusterpolicy.status", "template", "template.kinds",
		"scheduling", "rendering", "status", "failover", "eviction",
		"clusterscheduling", "clusterrendering", "clusterstatus", "clusterfailover", "clustereviction",
		"dependencies", "clusterdependencies", "dependencies.attached", "federatedquota.assignment", "federatedquota.status", "hpaScaleTargetMarker", "rebalancer", "namespace", "metrics",
		"work.execution", "work.status",
	}
	if diff := cmp.Diff(want, names(t)); diff != "" {
		t.Errorf("all controllers, those that put rules into the engine first (-want +got):\n%s", diff)
	}
}

func TestHubBuildsWhatIsAskedFor(t *testing.T) {
	cases := map[string]struct {
		reason string
		asked  []string
		want   []string
	}{
		"One":      {reason: "it asks the engine nothing", asked: []string{"scheduling"}, want: []string{"scheduling"}},
		"Twice":    {reason: "each is built once", asked: []string{"scheduling", "scheduling"}, want: []string{"scheduling"}},
		"Order":    {reason: "the order is that of the list", asked: []string{"eviction", "cluster.status"}, want: []string{"cluster.status", "eviction"}},
		"Rules":    {reason: "what asks the engine needs rules in it", asked: []string{"rendering"}, want: []string{"bundle", "customization", "scriptbundle", "bundle.scale", "rendering"}},
		"Policy":   {reason: "policies begin the watches of templates", asked: []string{"template"}, want: []string{"bundle", "customization", "scriptbundle", "bundle.scale", "policy", "clusterpolicy", "template", "template.kinds"}},
		"All":      {reason: "a star is all that are on by default", asked: []string{"*"}, want: names(t)},
		"More":     {reason: "what is off by default comes by its name", asked: []string{"*", "deploymentReplicasSyncer"}, want: with(names(t), "deploymentReplicasSyncer", "rebalancer")},
		"Without":  {reason: "all others stay", asked: []string{"-hpaScaleTargetMarker"}, want: slices.DeleteFunc(names(t), func(n string) bool { return n == "hpaScaleTargetMarker" })},
		"Both":     {reason: "without wins", asked: []string{"scheduling", "eviction", "-eviction"}, want: []string{"scheduling"}},
		"Template": {reason: "and enqueue these", asked: []string{"policy"}, want: []string{"bundle", "customization", "scriptbundle", "bundle.scale", "policy", "clusterpolicy", "template", "template.kinds"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, names(t, tc.asked...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNothingIsBuiltThatNobodyAskedFor(t *testing.T) {
	d, built := Deps{}, []string{}
	all := hub(d, Options{})
	for i := range all {
		build := all[i].build
		all[i].build = func() Controller {
			built = append(built, all[i].name)
			return build()
		}
	}
	chosen, err := withNeeded(all, []string{"scheduling"})
	if err != nil {
		t.Fatal(err)
	}
	build(slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return !chosen[e.name] }))
	if diff := cmp.Diff([]string{"scheduling"}, built); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHubRefusesNamesThatDoNotExist(t *testing.T) {
	for asked, want := range map[string]string{
		"work.exection": `there is no controller "work.exection"; did you mean work.execution?`,
		"-nonsense":     `there is no controller "nonsense"; known are bundle, customization`,
		"nonsense":      `there is no controller "nonsense"; known are bundle, customization`,
	} {
		if _, err := Hub(Deps{}, Options{Names: []string{"scheduling", asked}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--controllers=%s: got %v, want %q", asked, err, want)
		}
	}
}

func TestHubRefusesToLeaveOutWhatIsNeeded(t *testing.T) {
	_, err := Hub(Deps{}, Options{Names: []string{"-policy"}})
	if want := "--controllers: template needs policy"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAgent(t *testing.T) {
	if diff := cmp.Diff([]string{"work.execution", "work.status"}, Names(Agent(Deps{}))); diff != "" {
		t.Errorf("what works in a cluster (-want +got):\n%s", diff)
	}
}

// published are the names of controllers that users know from --controllers of the published control
// plane, by the packages.
var published = map[string]string{"autoscaler.marker": "hpaScaleTargetMarker", "autoscaler.replicas": "deploymentReplicasSyncer"}

// TestNames compares the three places where a controller has a name: the list, the
// controller itself, and its package.
func TestNames(t *testing.T) {
	for _, e := range hub(Deps{}, Options{}) {
		c := e.build()
		if c.Name() != e.name {
			t.Errorf("controller %s is %s in the list", c.Name(), e.name)
		}
		kind := reflect.TypeOf(c).Elem()
		if name, _, _ := strings.Cut(kind.Name(), "["); name != "Controller" {
			t.Errorf("the type of controller %s is %s, want Controller", c.Name(), name)
		}
		_, within, _ := strings.Cut(kind.PkgPath(), "/controllers/")
		path := strings.ReplaceAll(within, "/", ".")
		if e.name != path && e.name != "cluster"+path && e.name != published[path] {
			t.Errorf("controller %s is in package controllers/%s", e.name, within)
		}
	}
}

// loading is a controller that records what is called, and waits until ctx ends.
type loading struct {
	Controller
	name string
	log  *[]string
	err  error
}

func (l loading) Name() string { return l.name }

func (l loading) Begin(context.Context) error {
	*l.log = append(*l.log, "begin "+l.name)
	return l.err
}

func (l loading) Wait(ctx context.Context) error {
	<-ctx.Done()
	*l.log = append(*l.log, "wait "+l.name)
	return nil
}

func TestLoadWaitsForAllTogether(t *testing.T) {
	var log []string
	if err := load(t.Context(), []Controller{loading{name: "a", log: &log}, loading{name: "b", log: &log}}, 0); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"begin a", "begin b", "wait a", "wait b"}, log); diff != "" {
		t.Errorf("all begin before one is waited for (-want +got):\n%s", diff)
	}
}

func TestLoadNamesTheControllerThatFails(t *testing.T) {
	var log []string
	err := load(t.Context(), []Controller{loading{name: "a", log: &log, err: errors.New("broken")}, loading{name: "b", log: &log}}, 0)
	if want := "load what controller a activates: broken"; err == nil || err.Error() != want {
		t.Errorf("got error %v; want %s", err, want)
	}
}
