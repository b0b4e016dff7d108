// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// cluster is an object that has all that the scripts below read.
const cluster = `{apiVersion: db.example/v1, kind: Cluster, metadata: {name: a, namespace: b, generation: 1},
  spec: {instances: 2, from: {id: x}, auth: {secret: {name: s}}, parts: [{name: p, size: {cpu: 1}}], bootstrap: {recovery: true}},
  status: {phase: Ready, job: {id: x}}}`

// TestWhatMayBeMissing checks scripts of which each answers the object of its case, and
// fails on one that lacks something.
func TestWhatMayBeMissing(t *testing.T) {
	for name, c := range map[string]struct{ file, script, operation, more, want string }{
		"status": {"status", "function ReflectStatus(obj) return {phase = obj.status.phase:lower()} end", "InterpretStatus", "", "no status: status without status"},
		"state":  {"state", "function GetState(obj) return {id = obj.status.job.id} end", "InterpretState", "", "no status: state without status"},
		"an empty status": {
			"health", "function InterpretHealth(obj) if not obj.status then return nil end return obj.status.phase:lower() == 'ready' end", "InterpretHealth", "",
			"no status: health of an empty status",
		},
		"items": {
			"aggregate", "function AggregateStatus(obj, items) for _, i in ipairs(items) do obj.status = {phase = i.status.phase} end return obj end", "AggregateStatus", "",
			"no status: aggregate of items without status",
		},
		"one field of an item": {
			"aggregate", "function AggregateStatus(obj, items) local n = 0 for _, i in ipairs(items) do if i.status then n = n + i.status.job.size end end obj.status = {n = n} return obj end",
			"AggregateStatus", "statusItems: [{clusterName: c, status: {job: {size: 1}}}]", "missing field: AggregateStatus without items[0].status.job ",
		},
		"observed": {
			"retain", "function Retain(desired, observed) desired.spec.bootstrap = {recovery = observed.spec.bootstrap.recovery} return desired end", "Retain", "observedObj: " + cluster,
			"empty spec: Retain of an empty spec without status",
		},
		"dependencies": {
			"dependencies", "function GetDependencies(obj) return kube.references('Secret', obj.metadata.namespace, obj.spec.auth.secret.name) end", "InterpretDependency", "",
			"empty spec: InterpretDependency of an empty spec",
		},
		"replicas": {"replicas", "function GetReplicas(obj) return obj.spec.instances end", "InterpretReplica", "", "empty spec: InterpretReplica of an empty spec"},
		"restore": {
			"restore", "function RestoreState(desired, state) desired.spec.to = desired.spec.from.id return desired end", "RestoreState", "",
			"empty spec: RestoreState of an empty spec",
		},
		"a field of a list": {
			"replicas", "function GetReplicas(obj) local n = 0 for _, p in ipairs(obj.spec.parts or {}) do n = n + p.size.cpu end return n end", "InterpretReplica", "",
			"missing field: InterpretReplica without spec.parts[0].size ",
		},
		"CEL": {"health.cel", "!has(object.status) || object.status.phase == 'Ready'", "InterpretHealth", "", "no status: health of an empty status"},
		"a name is always there": {
			"replicas", "function GetReplicas(obj) local n = 0 for _, p in ipairs(obj.spec.parts or {}) do n = n + #p.name + #obj.metadata.namespace + obj.metadata.generation end return n end",
			"InterpretReplica", "", "",
		},
		"an error of the script": {"replicas", "function GetReplicas(obj) if not obj.spec.instances then error('no instances') end return 1 end", "InterpretReplica", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("name: a\ndesiredObj: %s\noperation: %s\noutput: {}\n%s\n", cluster, c.operation, c.more)
			_, broken := clusterRunner(t, c.file, c.script).CheckLaws(only(t, text))
			got := ""
			if len(broken) > 0 {
				got = breaches(broken)
			}
			if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("broken are\n%s\nwant %q", got, c.want)
			}
		})
	}
}

// clusterRunner has one script for kind Cluster.
func clusterRunner(t *testing.T, file, text string) *Runner {
	t.Helper()
	if !strings.Contains(file, ".") {
		file += ".lua"
	}
	c, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{
		"bundle.yaml": {Data: []byte("apiVersion: interpreter.dragoman.io/v1alpha1\nkind: Bundle\nmetadata: {name: db}\n" +
			"spec: {kinds: [{group: db.example, versions: [v1], kind: Cluster}]}\n")},
		"Cluster/" + file: {Data: []byte(text)},
	}
	b, err := bundle.Loader{Compiler: c}.Load(fsys, ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{Bundles: []*bundle.Bundle{b}}
}

// TestExpectedErrorsBreakNoLaw checks that a case which expects an error states that it is
// meant, where it lacks what the law takes away, and nowhere else.
func TestExpectedErrorsBreakNoLaw(t *testing.T) {
	r := clusterRunner(t, "dependencies", "function GetDependencies(obj) return kube.references('Secret', obj.metadata.namespace, obj.spec.auth.secret.name) end")
	good := only(t, "name: a\ndesiredObj: "+cluster+"\noperation: InterpretDependency\noutput: {dependencies: [{apiVersion: v1, kind: Secret, namespace: b, name: s}]}")
	meant := func(spec, message string) *Case {
		return only(t, "name: b\ndesiredObj: {apiVersion: db.example/v1, kind: Cluster, metadata: {name: a}, spec: "+spec+"}\noperation: InterpretDependency\nexpectError: {message: "+message+"}")
	}
	if _, broken := r.CheckLaws(good, good, meant("{}", "'obj.spec.auth[)]'"), meant("{auth: {}}", "obj.spec.auth.secret")); len(broken) > 0 {
		t.Errorf("broken are\n%s", breaches(broken))
	}
	_, broken := r.CheckLaws(good, good, meant("{}", "'obj.spec.auth[)]'"))
	if got := breaches(broken); len(broken) != 1 || !strings.HasPrefix(got, "missing field: InterpretDependency without spec.auth.secret ") {
		t.Errorf("broken are\n%s\nwant spec.auth.secret alone", got)
	}
	if _, broken := r.CheckLaws(good, good, meant("{}", "another")); len(broken) != 2 {
		t.Errorf("broken are\n%s\nwant two: the case expects another error", breaches(broken))
	}
}

// TestLawsLeaveCasesAsTheyAre checks that what a law takes away is back after it.
func TestLawsLeaveCasesAsTheyAre(t *testing.T) {
	c := only(t, "name: a\ndesiredObj: "+cluster+"\noperation: InterpretReplica\noutput: {}")
	before := runtime.DeepCopyJSON(c.Question.Object.Object)
	clusterRunner(t, "replicas", "function GetReplicas(obj) return obj.spec.parts[1].size.cpu end").CheckLaws(c)
	if !reflect.DeepEqual(before, c.Question.Object.Object) {
		t.Errorf("the object is %v, was %v", c.Question.Object.Object, before)
	}
}

// TestMissingFieldsAreBounded checks that a large object takes no more runs than others, and
// that the fields nearest to its root are taken.
func TestMissingFieldsAreBounded(t *testing.T) {
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf("f%d: {a: 1}", i))
	}
	c := only(t, "name: a\ndesiredObj: {apiVersion: db.example/v1, kind: Cluster, spec: {"+strings.Join(fields, ", ")+"}, status: {a: 1}}\noperation: InterpretReplica\noutput: {}")
	runs := 0
	r := clusterRunner(t, "replicas", "function GetReplicas(obj) return 1 end")
	rules, err := r.rules(c, engine.Options{Observe: func(engine.Run) { runs++ }})
	if err != nil {
		t.Fatal(err)
	}
	if _, applies := missingField(&subject{c: c, rules: rules}); !applies || runs != maxMissing+1 {
		t.Errorf("the law applies: %v, with %d runs; want %d", applies, runs, maxMissing+1)
	}
	if first := pathOf(optionalFields(c)[0].path); first != "status" {
		t.Errorf("the first field is %s, want status", first)
	}
}
