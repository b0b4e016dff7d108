// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestStateFor(t *testing.T) {
	type values = map[string]string
	type tasks = []workv1alpha2.GracefulEvictionTask
	task := func(mode policyv1alpha1.PurgeMode, labels, state values, before ...string) workv1alpha2.GracefulEvictionTask {
		k := leaving("a", mode)
		k.PreservedLabelState, k.PreservedState, k.ClustersBeforeFailover = labels, state, before
		return k
	}
	const directly, gracefully = policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully
	job, path := values{"job": "1"}, values{"path": "x"}
	cases := map[string]struct {
		reason        string
		tasks         tasks
		targets       []string // b where it is not said
		required      []workv1alpha2.BindingSnapshot
		cluster       string // b where it is not said
		labels, state values
	}{
		"NoTask":  {reason: "without a failover nothing goes along"},
		"NoState": {reason: "nor without state", tasks: tasks{task(directly, nil, nil, "a")}},
		"Labels": {
			reason: "labels go along, also to the script", tasks: tasks{task(directly, job, nil, "a")},
			labels: job, state: job,
		},
		"State": {
			reason: "what is only for the script is no label", tasks: tasks{task(directly, nil, path, "a")},
			state: path,
		},
		"Both": {
			reason: "the script knows both", tasks: tasks{task(directly, job, path, "a")},
			labels: job, state: values{"job": "1", "path": "x"},
		},
		"NoLabelKey": {
			reason: "what cannot be the key of a label is none, or the object would be refused; the script knows it", tasks: tasks{task(directly, values{"no/such/key": "2", "job": "1"}, nil, "a")},
			labels: job, state: values{"no/such/key": "2", "job": "1"},
		},
		"NoLabelValue": {
			reason: "nor is what cannot be its value", tasks: tasks{task(directly, values{"where": "s3://a b", "job": "1"}, nil, "a")},
			labels: job, state: values{"where": "s3://a b", "job": "1"},
		},
		"Immediately": {
			reason: "the old name of Directly is as good", tasks: tasks{task(policyv1alpha1.Immediately, job, nil, "a")},
			labels: job, state: job,
		},
		"Gracefully": {reason: "while the old copy may still run, its state does not go along", tasks: tasks{task(gracefully, job, path, "a")}},
		"Never":      {reason: "the same for Never", tasks: tasks{task(policyv1alpha1.PurgeModeNever, job, path, "a")}},
		"NoMode":     {reason: "and for a task without mode", tasks: tasks{task("", job, path, "a")}},
		"WasThere": {
			reason: "a copy that ran before the failover keeps its own state", tasks: tasks{task(directly, job, nil, "a", "b")},
		},
		"NewOfTwo": {
			reason: "the new one of two targets gets it", tasks: tasks{task(directly, job, nil, "a", "c")}, targets: []string{"b", "c"},
			labels: job, state: job,
		},
		"OldOfTwo": {
			reason: "the other does not", tasks: tasks{task(directly, job, nil, "a", "c")}, targets: []string{"b", "c"}, cluster: "c",
		},
		"UnknownBefore": {
			reason: "where it is not known who was there, a single target must be new", tasks: tasks{task(directly, job, nil)},
			labels: job, state: job,
		},
		"UnknownBeforeOfTwo": {
			reason: "of several nobody knows", tasks: tasks{task(directly, job, nil)}, targets: []string{"b", "c"},
		},
		"UnknownBeforeRequired": {
			reason: "clusters that others require count", tasks: tasks{task(directly, job, nil)}, required: requiredBy("c"),
		},
		"LastCounts": {
			reason: "the last task counts", tasks: tasks{task(directly, values{"job": "0"}, nil, "x"), task(directly, job, nil, "a")},
			labels: job, state: job,
		},
		"LastHides": {
			reason: "also where it has no state", tasks: tasks{task(directly, job, nil, "a"), task(gracefully, nil, nil)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.targets == nil {
				tc.targets = []string{"b"}
			}
			if tc.cluster == "" {
				tc.cluster = "b"
			}
			b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Clusters: fixture.Targets(tc.targets...), GracefulEvictionTasks: tc.tasks, RequiredBy: tc.required}}
			got := StateFor(b, tc.cluster, "")
			if diff := cmp.Diff(tc.labels, got.Labels); diff != "" {
				t.Errorf("%s: labels (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.state, got.Values); diff != "" {
				t.Errorf("%s: state (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStateForACopyThatStays: a copy that was made with a state and stays, since there is no other cluster, keeps that
// although a third one was to get it. As a target it gets what is its own.
func TestStateForACopyThatStays(t *testing.T) {
	carried := Carried{From: "a", Copy: "work-a", To: "c", Made: "b", Gone: true, Labels: map[string]string{"job": "1"}}
	for name, tc := range map[string]struct {
		reason   string
		targets  []string
		madeWith string
		want     map[string]string
	}{
		"Stays":      {"it is written again with the state", nil, carried.name(), map[string]string{"job": "1"}},
		"Beside":     {"also beside other targets", []string{"c"}, carried.name(), map[string]string{"job": "1"}},
		"Other":      {"a copy that was made with another state does not get this one", nil, "another", nil},
		"None":       {"nor one that was made with none", nil, workv1alpha2.RestoredFromNone, nil},
		"EarlierOne": {"nor one of which nobody knows", nil, "", nil},
		"Target":     {"a target gets what is for it", []string{"b", "c"}, carried.name(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Clusters: fixture.Targets(tc.targets...)}}
			if err := SetCarriedStates(b, []Carried{carried}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, StateFor(b, "b", tc.madeWith).Labels); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
