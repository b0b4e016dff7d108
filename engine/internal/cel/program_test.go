// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
)

// The health of a FlinkDeployment in two styles, and its components.
const (
	flinkHealthHas = `has(object.status) && has(object.status.jobStatus) && has(object.status.jobStatus.state) ?
 (object.status.jobStatus.state in ["RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "CANCELLING", "FAILING", "RESTARTING"]
  || object.status.jobStatus.state in ["CREATED", "INITIALIZING", "RECONCILING"] && has(object.status.error)
     && ["ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"].exists(e, object.status.error.contains(e)))
 : has(object.status) && has(object.status.jobManagerDeploymentStatus) && object.status.jobManagerDeploymentStatus == "READY"
   && has(object.status.lifecycleState) && object.status.lifecycleState == "STABLE"`

	flinkHealthOptional = `cel.bind(st, object.?status,
cel.bind(state, st.?jobStatus.?state.orValue(""),
  state == "" ? st.?jobManagerDeploymentStatus.orValue("") == "READY" && st.?lifecycleState.orValue("") == "STABLE"
  : state in ["RUNNING", "FINISHED", "FAILED", "CANCELED", "SUSPENDED", "CANCELLING", "FAILING", "RESTARTING"]
  || state in ["CREATED", "INITIALIZING", "RECONCILING"]
     && ["ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"].exists(e, st.?error.orValue("").contains(e))))`

	flinkComponents = `cel.bind(spec, object.spec,
cel.bind(pt, spec.?podTemplate.?spec,
cel.bind(claim, {?"nodeSelector": pt.?nodeSelector, ?"tolerations": pt.?tolerations},
cel.bind(slots, int(spec.?flinkConfiguration[?"taskmanager.numberOfTaskSlots"].orValue("0")),
cel.bind(par, int(spec.?job.?parallelism.orValue(0)),
[
  {"c": "jobManager",  "name": "jobmanager",  "n": int(spec.?jobManager.?replicas.orValue(1))},
  {"c": "taskManager", "name": "taskmanager", "n": int(spec.?taskManager.?replicas.orValue(
      slots == 0 || par == 0 ? 1 : (par + slots - 1) / slots))},
].map(x, {
  "name": x.name,
  "replicas": x.n,
  "replicaRequirements": {
    "resourceRequest": {
      ?"cpu": spec[?x.c].?resource.?cpu,
      ?"memory": spec[?x.c].?resource.?memory,
    },
    ?"nodeClaim": claim.size() > 0 ? optional.of(claim) : optional.none(),
    ?"priorityClassName": pt.?priorityClassName,
  }
}))))))`

	deploymentStatus = `cel.bind(st, items.filter(i, has(i.status)).map(i, i.status), {
  "replicas": st.map(s, s.?replicas.orValue(0)).sum(),
  "readyReplicas": st.map(s, s.?readyReplicas.orValue(0)).sum(),
  "updatedReplicas": st.map(s, s.?updatedReplicas.orValue(0)).sum(),
  "availableReplicas": st.map(s, s.?availableReplicas.orValue(0)).sum(),
  "unavailableReplicas": st.map(s, s.?unavailableReplicas.orValue(0)).sum(),
  "observedGeneration": st.all(s, s.?observedGeneration.orValue(0) >= s.?generation.orValue(0))
     ? object.metadata.generation : object.?status.?observedGeneration.orValue(0),
})`
)

func TestFlinkHealth(t *testing.T) {
	tests := map[string]struct {
		object string
		want   bool
	}{
		"running":                  {`{"status": {"jobStatus": {"state": "RUNNING"}}}`, true},
		"created":                  {`{"status": {"jobStatus": {"state": "CREATED"}}}`, false},
		"created, image not found": {`{"status": {"jobStatus": {"state": "CREATED"}, "error": "x ImagePullBackOff y"}}`, true},
		"created, other error":     {`{"status": {"jobStatus": {"state": "CREATED"}, "error": "x"}}`, false},
		"unknown state":            {`{"status": {"jobStatus": {"state": "X"}}}`, false},
		"session cluster, ready":   {`{"status": {"jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE"}}`, true},
		"session cluster, deploys": {`{"status": {"jobManagerDeploymentStatus": "DEPLOYING", "lifecycleState": "STABLE"}}`, false},
		"no status":                {`{}`, false},
	}
	c := compiler(t)
	for style, source := range map[string]string{"has": flinkHealthHas, "optional": flinkHealthOptional} {
		p := compile(t, c, source)
		for name, tc := range tests {
			got := runOn(t, p, plain(t, tc.object))
			if got.err != nil || got.value != tc.want {
				t.Errorf("%s, %s style: got %v, %v, want %v", name, style, got.value, got.err, tc.want)
			}
		}
	}
}

const flinkDeployment = `{
	"spec": {
		"flinkConfiguration": {"taskmanager.numberOfTaskSlots": "2"},
		"job": {"parallelism": 5},
		"jobManager": {"resource": {"cpu": 1, "memory": "2048m"}},
		"taskManager": {"resource": {"cpu": 0.5, "memory": "1Gi"}},
		"podTemplate": {"spec": {"nodeSelector": {"disk": "ssd"}}}
	},
	"status": {"jobStatus": {"state": "RUNNING"}}
}`

func TestFlinkComponents(t *testing.T) {
	got := runOn(t, compile(t, compiler(t), flinkComponents), plain(t, flinkDeployment))
	if got.err != nil {
		t.Fatal(got.err)
	}
	want := plain(t, `[
		{"name": "jobmanager", "replicas": 1, "replicaRequirements": {
			"resourceRequest": {"cpu": 1, "memory": "2048m"}, "nodeClaim": {"nodeSelector": {"disk": "ssd"}}}},
		{"name": "taskmanager", "replicas": 3, "replicaRequirements": {
			"resourceRequest": {"cpu": 0.5, "memory": "1Gi"}, "nodeClaim": {"nodeSelector": {"disk": "ssd"}}}}
	]`)
	if diff := cmp.Diff(want, got.value); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
}

func TestPricesAreKnown(t *testing.T) {
	// What a program costs is part of its behaviour: a change here changes which
	// programs meet their limits.
	tests := map[string]struct {
		source string
		want   script.Usage
	}{
		"literal":             {`1`, script.Usage{Gas: 1}},
		"path":                {`object.spec.replicas`, script.Usage{Gas: 3}},
		"operator":            {`object.spec.replicas + 1`, script.Usage{Gas: 5, Memory: 16}},
		"branch not taken":    {`true ? 1 : 2`, script.Usage{Gas: 4, Memory: 16}},
		"loop":                {`object.spec.items.all(x, x > 0)`, script.Usage{Gas: 27, Memory: 432}},
		"loop left early":     {`object.spec.items.all(x, x > 1)`, script.Usage{Gas: 13, Memory: 144}},
		"loop of no rounds":   {`cel.bind(x, 1, x + x)`, script.Usage{Gas: 6, Memory: 80}},
		"text":                {`"ab" + "cd"`, script.Usage{Gas: 3, Memory: 36}},
		"long text":           {`object.long.contains("x")`, script.Usage{Gas: 4 + 10, Memory: 16}},
		"list":                {`[1, 2]`, script.Usage{Gas: 7, Memory: 192}},
		"map":                 {`{"a": 1}`, script.Usage{Gas: 7, Memory: 256}},
		"equality of lists":   {`object.spec.items == [1, 2, 3]`, script.Usage{Gas: 11, Memory: 128}},
		"different length":    {`object.spec.items == [1]`, script.Usage{Gas: 6, Memory: 96}},
		"an input as it was":  {`object`, script.Usage{Gas: 57}},
		"function of builtin": {`kube.five()`, script.Usage{Gas: 6, Memory: 336}},
	}
	c := compiler(t, Function{Name: "five", Call: func([]any) (any, int64, error) { return nil, 5, nil }})
	for name, tc := range tests {
		object := plain(t, deployment).(map[string]any)
		object["long"] = strings.Repeat("a", 640)
		p := compile(t, c, tc.source)
		for range 3 {
			if got := runOn(t, p, object); got.err != nil || got.usage != tc.want {
				t.Errorf("%s: %s used %+v (%v), want %+v", name, tc.source, got.usage, got.err, tc.want)
			}
		}
	}
}

func TestLimitsOfARun(t *testing.T) {
	tests := map[string]struct {
		source string
		limits script.Limits
		code   script.Code
		want   string
	}{
		"gas at the start":  {`1 + 1`, script.Limits{Gas: 2}, script.Gas, `test.cel:1:3: the run needs more than 2 units of gas`},
		"gas in a loop":     {`[1, 2, 3].all(x, x > 0)`, script.Limits{Gas: 20}, script.Gas, `test.cel:1:14: the run needs more than 20 units of gas`},
		"gas in a call":     {`object == object`, script.Limits{Gas: 4}, script.Gas, `test.cel:1:8: the run needs more than 4 units of gas`},
		"memory":            {`object.name + "x"`, script.Limits{Memory: 20}, script.Memory, `test.cel:1:13: the run needs more than 20 bytes of memory`},
		"length of a text":  {`object.name + "x"`, script.Limits{String: 3}, script.Memory, `test.cel:1:13: a string would be longer than 3 bytes`},
		"text of a result":  {`object.name`, script.Limits{String: 2}, script.Memory, `test.cel:1:7: a string would be longer than 2 bytes`},
		"nesting":           {`[[1]]`, script.Limits{Nesting: 1}, script.Result, `test.cel:1:1: [0]: the result nests deeper than 1`},
		"not caught by or":  {`lists.range(1000).all(i, i < 0) || true`, script.Limits{Gas: 100}, script.Gas, `test.cel:1:12: the run needs more than 100 units of gas`},
		"not caught inside": {`lists.range(1000).exists(i, object.x == i) || true`, script.Limits{Gas: 600}, script.Gas, `test.cel:1:12: the run needs more than 600 units of gas`},
	}
	c := compiler(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := runCall(t, compile(t, c, tc.source), &script.Call{
				Names: []string{"object"}, Args: []any{map[string]any{"name": "web"}}, Limits: tc.limits,
			})
			if got.err == nil || got.err.Code != tc.code || got.err.Error() != tc.want {
				t.Errorf("%s returned %v and the error\n\t%v\nwant one of code %s\n\t%s", tc.source, got.value, got.err, tc.code, tc.want)
			}
		})
	}
}

func TestFunctionsOfBuiltin(t *testing.T) {
	c := compiler(t,
		Function{Name: "join", Min: 1, Max: 3, Call: func(args []any) (any, int64, error) {
			return map[string]any{"args": append([]any{}, args...)}, 7, nil
		}},
		Function{Name: "fail", Call: func([]any) (any, int64, error) { return nil, 0, errors.New("no such luck") }},
		Function{Name: "refuse", Call: func([]any) (any, int64, error) { return nil, 0, script.Errorf(script.User, "refused") }},
		Function{Name: "panic", Call: func([]any) (any, int64, error) { panic("defect") }},
		Function{Name: "costly", Call: func([]any) (any, int64, error) { return nil, 1 << 40, nil }},
	)
	tests := map[string]struct {
		source string
		want   string
		err    string
	}{
		"plain arguments":     {source: `kube.join(object.spec.items, {"a": quantity("1")}, 1.5)`, want: `{"args": [[1, 2, 3], {"a": "1"}, 1.5]}`},
		"fewer arguments":     {source: `kube.join(1)`, want: `{"args": [1]}`},
		"result in use":       {source: `kube.join(1, 2).args.map(x, x + 1)`, want: `[2, 3]`},
		"none is nil":         {source: `kube.join(object.?missing)`, want: `{"args": [null]}`},
		"error":               {source: `kube.fail()`, err: `Type test.cel:1:10: kube.fail: no such luck`},
		"error with a code":   {source: `kube.refuse()`, err: `User test.cel:1:12: kube.refuse: refused`},
		"error beside or":     {source: `kube.fail() || true`, want: `true`},
		"no plain value":      {source: `kube.join({"a": b"x"})`, err: `Type test.cel:1:10: kube.join: argument 1: a: a result cannot hold a value of type bytes`},
		"panic":               {source: `kube.panic() || true`, err: `Internal test.cel:1:11: defect`},
		"gas":                 {source: `kube.costly() || true`, err: `Gas test.cel:1:12: the run needs more than 200000 units of gas`},
		"number of arguments": {source: `kube.join()`, err: `Syntax test.cel:1:10: 'kube.join' does not take ()`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := c.Compile("test.cel", tc.source, dyn("object"), script.Limits{})
			var got outcome
			if err == nil {
				got = runOn(t, p, plain(t, deployment))
			} else {
				got.err = err.(*script.Error)
			}
			if got.err != nil {
				if text := fmt.Sprintf("%s %s", got.err.Code, got.err); text != tc.err {
					t.Errorf("%s: error is\n\t%s\nwant\n\t%s", tc.source, text, tc.err)
				}
				return
			}
			if tc.err != "" {
				t.Fatalf("%s returned %v, want the error %s", tc.source, got.value, tc.err)
			}
			if diff := cmp.Diff(plain(t, tc.want), got.value); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.source, diff)
			}
		})
	}
}

func TestFunctionsThatAreNotWellFormed(t *testing.T) {
	call := func([]any) (any, int64, error) { return nil, 0, nil }
	for _, f := range []Function{{Call: call}, {Name: "f"}, {Name: "f", Min: 2, Max: 1, Call: call}, {Name: "f", Min: -1, Call: call}} {
		if _, err := New([]Function{f}); err == nil {
			t.Errorf("New took the function %+v", f)
		}
	}
}

// TestManyGoroutines runs and compiles at the same time; it is for the race
// detector.
func TestManyGoroutines(t *testing.T) {
	c := compiler(t)
	object := plain(t, deployment)
	sources := []string{
		flinkHealthHas, flinkHealthOptional, `object.metadata.labels.transformMap(k, v, v + k)`, `object.spec.items.map(x, x + 1)`,
		`object.missing`, `object.spec.replicas.orValue(1)`, `dyn(1) + dyn("a")`, `timestamp(9223372036854775807 - object.spec.replicas)`,
		`object.metadata.name.matches("w.*")`, `{"a": [object.spec, quantity("1Gi")]}`, attack.Forever("true"),
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 30 {
				source := sources[(g+i)%len(sources)]
				first := runOn(t, compile(t, c, source), object)
				second := runOn(t, compile(t, c, source), object)
				if diff := cmp.Diff(first, second, cmp.AllowUnexported(outcome{})); diff != "" {
					t.Errorf("%s returned different outcomes:\n%s", source, diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestRunsAreDeterministic(t *testing.T) {
	c := compiler(t)
	object := attack.Target()
	sources := []string{
		`object.fields.map(k, k)`, `object.fields.transformMap(k, v, v.a)`, `object.fields.all(k, int(k) < 500)`,
		`object.fields == object.fields`, `object.fields.exists(k, object.fields[k].a == 7)`, `"%s".format([object.fields])`,
		`{"b": b"", "a": b""}`, `{1: 2, "a": 3, true: 4, 2u: 5, 1.5: 6}.map(k, string(k))`, `object.fields.transformList(k, v, v.a / (v.a - 3))`,
	}
	for _, source := range sources {
		p := compile(t, c, source)
		want := runOn(t, p, object)
		for range 20 {
			if diff := cmp.Diff(want, runOn(t, p, object), cmp.AllowUnexported(outcome{})); diff != "" {
				t.Fatalf("%s returned different outcomes:\n%s", source, diff)
			}
		}
	}
}
