// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

// wrongAnswers are answers that no form takes, by operation, with the message of the
// error. The object is the first argument o.
var wrongAnswers = map[Op][]struct{ answer, want string }{
	InterpretReplica: {
		{"-1", "replicas: -1 is not between 0 and 2147483647"},
		{"2147483648", "replicas: 2147483648 is not between 0 and 2147483647"},
		{"3e9", "replicas: 3000000000 is not between 0 and 2147483647"},
		{"1e300", "replicas: want a whole number, got 1e+300"},
		{"0/0", "replicas: want a whole number, got NaN"},
		{"nil", "replicas: want a number, got a nil"},
		{"'3'", "replicas: want a number, got a string"},
		{"1, 'much'", "requirements: want a map, got a string"},
		{"1, {1}", "requirements: want a map, got a list"},
		{"1, {resourceRequest = {cpu = 'much'}}", "requirements.resourceRequest.cpu: \"much\" is not a quantity"},
		{"1, {resourceRequest = {cpu = true}}", "requirements.resourceRequest.cpu: want a quantity, got a boolean"},
		{"1, {nodeClaim = {nodeSelector = {zone = 1}}}", "requirements.nodeClaim.nodeSelector.zone: want a string"},
		{"1, {priorityClassName = 1}", "requirements.priorityClassName: want a string, got a number"},
	},
	InterpretComponent: {
		{"{{replicas = 1}}", "components[0].name: a component must have a name"},
		{"{{name = '', replicas = 1}}", "components[0].name: a component must have a name"},
		{"{{name = 'a'}, {name = 'a'}}", "components[1].name: \"a\" stands twice; names must be unique"},
		{"{{name = 'abcdefghijklmnopqrstuvwxyz0123456'}}", "components[0].name: \"abcdefghijklmnopqrstuvwxyz0123456\" is longer than 32 characters"},
		{"{{name = 'a', replicas = 2.5}}", "components[0].replicas: want a whole number, got 2.5"},
		{"{{name = 'a', replicas = -1}}", "components[0].replicas: -1 is not between"},
		{"{{name = 'a', replicas = '1'}}", "components[0].replicas: want a number, got a string"},
		{"{'a'}", "components[0]: want a map, got a string"},
		{"{name = 'a'}", "components: want a list, got a map"},
		{"3", "components: want a list, got a number"},
	},
	InterpretDependency: {
		{"{{kind = 'Secret', name = 'a'}}", "dependencies[0].apiVersion: a reference must have it"},
		{"{{apiVersion = 'v1', name = 'a'}}", "dependencies[0].kind: a reference must have it"},
		{"{{apiVersion = 'v1', kind = 'Secret'}}", "dependencies[0]: a reference must have a name or a labelSelector"},
		{"{{apiVersion = 'v1', kind = 'Secret', labelSelector = {matchLabels = {['a b'] = 'c'}}}}", "dependencies[0].labelSelector: "},
		{"{{apiVersion = 'v1', kind = 'Secret', labelSelector = {matchExpressions = {{key = 'a', operator = 'Like'}}}}}", "dependencies[0].labelSelector: "},
		{"{apiVersion = 'v1', kind = 'Secret', name = 'a'}", "dependencies: want a list, got a map"},
		{"nil", "dependencies: want a list, got a nil"},
	},
	InterpretStatus: {
		{"'fine'", "status: want a map, got a string"},
	},
	InterpretHealth: {
		{"1", "healthy: want a boolean, got a number"},
		{"'true'", "healthy: want a boolean, got a string"},
		{"{}", "healthy: want a boolean, got a map"},
	},
	InterpretState: {
		{"{job = {id = 1}}", "state.job: want a string, got a map"},
		{"3", "state: want a map, got a number"},
	},
}

// otherObjects are answers of the operations that give the object, each another
// object than the one given.
var otherObjects = []struct{ change, want string }{
	{"o = nil", "object: the script gave nil; it must return the object"},
	{"o = 'site'", "object: want a map, got a string"},
	{"o.apiVersion = 'web.example/v2'", "object.apiVersion: the script changed it from \"web.example/v1\" to \"web.example/v2\""},
	{"o.kind = nil", "object.kind: the script removed it; it was \"Site\""},
	{"o.metadata.name = 'other'", "object.metadata.name: the script changed it from \"home\" to \"other\""},
	{"o.metadata.name = 5", "object.metadata.name: the script changed it from \"home\" to a number"},
	{"o.metadata.namespace = nil", "object.metadata.namespace: the script removed it; it was \"web\""},
	{"o.metadata = nil", "object.metadata.namespace: the script removed it; it was \"web\""},
	{"o.metadata = {namespace = 'x', name = 'home'}", "object.metadata.namespace: the script changed it from \"web\" to \"x\""},
}

// askSite asks a question about a Site and returns its error.
func askSite(i *Interpreter, operation Op) error {
	_, err := i.Snapshot().Evaluate(Request{
		Operation: operation, Object: site(map[string]any{"a": int64(1)}), Observed: site(nil),
		Items: []any{map[string]any{"clusterName": "m1"}}, Replicas: 2, State: map[string]string{"a": "b"},
	})
	return err
}

// expectResultError wants an error about the result that names the file.
func expectResultError(t *testing.T, err error, file, want string) {
	t.Helper()
	var failure *script.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got error %v; want a *script.Error", err)
	}
	if failure.Code != script.Result || failure.File != file || !strings.HasPrefix(failure.Message, want) {
		t.Errorf("got %s %q in %q; want Result %q in %q", failure.Code, failure.Message, failure.File, want, file)
	}
}

func TestWrongAnswersAreRefused(t *testing.T) {
	for name, answers := range wrongAnswers {
		op := described(t, name)
		for _, a := range answers {
			t.Run(string(name)+" "+a.answer, func(t *testing.T) {
				source := "function " + op.Entry + "(o) return " + a.answer + " end"
				expectResultError(t, askSite(answering(name, luaRule(t, name, source)), name), "site.lua", a.want)
				expectResultError(t, askSite(answering(name, published(luaRule(t, name, source))), name), "site.lua", a.want)
			})
		}
	}
}

func TestTheObjectStaysTheSame(t *testing.T) {
	for _, op := range Operations() {
		if !op.Patch {
			continue
		}
		name := op.Name
		for _, other := range otherObjects {
			t.Run(string(name)+" "+other.change, func(t *testing.T) {
				source := "function " + op.Entry + "(o, x) " + other.change + " return o end"
				expectResultError(t, askSite(answering(name, luaRule(t, name, source)), name), "site.lua", other.want)
				expectResultError(t, askSite(answering(name, published(luaRule(t, name, source))), name), "site.lua", other.want)
			})
		}
	}
}

func TestAPatchCanNotChangeTheIdentity(t *testing.T) {
	for _, op := range Operations() {
		if !op.Patch || op.Name == AggregateStatus { // whose expression returns a status
			continue
		}
		name := op.Name
		for patch, want := range map[string]string{
			"{'kind': 'Page'}":               "object.kind: the script changed it",
			"{'metadata': {'name': null}}":   "object.metadata.name: the script removed it",
			"{'metadata': {'name': 'away'}}": "object.metadata.name: the script changed it",
		} {
			t.Run(string(name)+" "+patch, func(t *testing.T) {
				expectResultError(t, askSite(answering(name, celRule(t, name, patch)), name), "site.cel", want)
			})
		}
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	for name, c := range map[Op]struct{ answer, want string }{
		InterpretReplica:    {"1, {resources = {}}", "requirements.resources: there is no such field; the fields are nodeClaim, resourceRequest"},
		InterpretComponent:  {"{{name = 'a', replica = 1}}", "components[0].replica: there is no such field"},
		InterpretDependency: {"{{apiVersion = 'v1', kind = 'A', name = 'a', uid = '1'}}", "dependencies[0].uid: there is no such field"},
	} {
		source := "function " + described(t, name).Entry + "(o) return " + c.answer + " end"
		expectResultError(t, askSite(answering(name, luaRule(t, name, source)), name), "site.lua", c.want)
		if err := askSite(answering(name, published(luaRule(t, name, source))), name); err != nil {
			t.Errorf("%s: the published form passes over unknown fields; got %v", name, err)
		}
	}
}

func TestLongNamesCountCharacters(t *testing.T) {
	source := "function GetComponents(o) return {{name = 'äöüäöüäöüäöüäöüäöüäöüäöü', replicas = 2147483647}} end"
	components, err := answering(InterpretComponent, luaRule(t, InterpretComponent, source)).Snapshot().Components(site(nil))
	if err != nil || len(components) != 1 || components[0].Replicas != 2147483647 {
		t.Errorf("got %v, error %v; want one component whose name has 24 characters in 48 bytes", components, err)
	}
}

// An object without namespace may be given an empty one, and no other.
func TestNoNamespaceIsAnEmptyOne(t *testing.T) {
	node := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1", "kind": "Site", "metadata": map[string]any{"name": "home"},
	}}
	for namespace, want := range map[string]bool{"": true, "web": false} {
		source := "function ReviseReplica(o, n) o.metadata.namespace = '" + namespace + "' return o end"
		_, err := answering(ReviseReplica, luaRule(t, ReviseReplica, source)).Snapshot().Revise(node, 1, Division{})
		if (err == nil) != want {
			t.Errorf("namespace %q: got error %v", namespace, err)
		}
	}
}
