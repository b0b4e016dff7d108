// SPDX-License-Identifier: Apache-2.0

package override_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
)

const (
	digest = "sha256:50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c"

	deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: one, namespace: ns, labels: {app: web}}
spec:
  replicas: 2
  template:
    spec:
      initContainers: [{name: init, image: "busybox:1"}]
      containers:
      - {name: web, image: "a.io/nginx:1.25", command: [a, b, a]}
      - {name: side, image: "envoy@` + digest + `"}
`
	custom = `
apiVersion: web.example/v1
kind: Deployment
metadata: {name: one, namespace: ns}
spec:
  template: {spec: {containers: [{name: web, image: "nginx:1"}]}}
  images: ["nginx:1", 5]
  "a/b": {image: "nginx:1"}
`
)

// TestOverriders has a case for each rule of an overrider.
func TestOverriders(t *testing.T) {
	containers := []string{"spec", "template", "spec", "containers"}
	cases := map[string]struct {
		object     string
		overriders string
		path       []string // of what is compared, in the result
		want       string   // as JSON
	}{
		"ImageReplaceRegistry": {
			deployment, `{imageOverrider: [{component: Registry, operator: replace, value: "b.io:5000"}]}`, containers,
			`[{"command":["a","b","a"],"image":"b.io:5000/nginx:1.25","name":"web"},{"image":"b.io:5000/envoy@` + digest + `","name":"side"}]`,
		},
		"ImageRemoveRegistry":    {custom, `{imageOverrider: [{component: Registry, operator: remove, predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["nginx:1",5]`},
		"ImageAddRepository":     {custom, `{imageOverrider: [{component: Repository, operator: add, value: -x, predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["nginx-x:1",5]`},
		"ImageReplaceRepository": {custom, `{imageOverrider: [{component: Repository, operator: replace, value: a/b, predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["a/b:1",5]`},
		"ImageAddTag":            {custom, `{imageOverrider: [{component: Tag, operator: add, value: ".2", predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["nginx:1.2",5]`},
		"ImageDigest":            {custom, `{imageOverrider: [{component: Tag, operator: replace, value: "` + digest + `", predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["nginx@` + digest + `",5]`},
		"ImageRemoveTag":         {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: /spec/images/0}}]}`, []string{"spec", "images"}, `["nginx",5]`},
		"ImageEscapedPredicate":  {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: /spec/a~1b/image}}]}`, []string{"spec", "a/b"}, `{"image":"nginx"}`},
		"ImageOfInitContainer":   {deployment, `{imageOverrider: [{component: Tag, operator: replace, value: "2", predicate: {path: /spec/template/spec/initContainers/0/image}}]}`, []string{"spec", "template", "spec", "initContainers"}, `[{"image":"busybox:2","name":"init"}]`},
		"ImageOfOtherKinds":      {custom, `{imageOverrider: [{component: Tag, operator: remove}]}`, containers, `[{"image":"nginx:1","name":"web"}]`},

		"CommandAdd":      {deployment, `{commandOverrider: [{containerName: web, operator: add, value: [c, a]}]}`, append(containers, "0", "command"), `["a","b","a","c","a"]`},
		"CommandRemove":   {deployment, `{commandOverrider: [{containerName: web, operator: remove, value: [a, x]}]}`, append(containers, "0", "command"), `["b"]`},
		"ArgsAddMissing":  {deployment, `{argsOverrider: [{containerName: side, operator: add, value: [x]}]}`, append(containers, "1", "args"), `["x"]`},
		"ArgsRemoveNone":  {deployment, `{argsOverrider: [{containerName: side, operator: remove, value: [x]}]}`, append(containers, "1", "args"), `null`},
		"ArgsOfNobody":    {deployment, `{argsOverrider: [{containerName: init, operator: add, value: [x]}]}`, append(containers, "0", "args"), `null`},
		"ArgsOfOtherKind": {custom, `{argsOverrider: [{containerName: web, operator: add, value: [x]}]}`, append(containers, "0", "args"), `null`},

		"LabelsAdd":          {deployment, `{labelsOverrider: [{operator: add, value: {app: x, b: z}}]}`, []string{"metadata", "labels"}, `{"app":"x","b":"z"}`},
		"LabelsReplace":      {deployment, `{labelsOverrider: [{operator: replace, value: {app: x, b: z}}]}`, []string{"metadata", "labels"}, `{"app":"x"}`},
		"LabelsRemove":       {deployment, `{labelsOverrider: [{operator: remove, value: {app: other, b: z}}]}`, []string{"metadata", "labels"}, `{}`},
		"AnnotationsAdd":     {deployment, `{annotationsOverrider: [{operator: add, value: {a: b}}]}`, []string{"metadata", "annotations"}, `{"a":"b"}`},
		"AnnotationsReplace": {deployment, `{annotationsOverrider: [{operator: replace, value: {a: b}}]}`, []string{"metadata", "annotations"}, `null`},

		"PlaintextValues": {
			deployment, `{plaintext: [{path: /spec/replicas, operator: replace, value: 5}, {path: /spec/paused, operator: add, value: null}, {path: /spec/x, operator: add, value: {a: [1.5, true]}}, {path: /spec/template, operator: remove, value: 1}]}`,
			[]string{"spec"},
			`{"paused":null,"replicas":5,"x":{"a":[1.5,true]}}`,
		},
		"PlaintextNoValue": {deployment, `{plaintext: [{path: /spec, operator: replace}]}`, []string{"spec"}, `null`},
		"PlaintextList": {
			deployment, `{plaintext: [{path: /spec/template/spec/containers/-, operator: add, value: {name: c}}, {path: /spec/template/spec/containers/0, operator: remove}, {path: /spec/template/spec/containers/-1/image, operator: add, value: x}, {path: /spec/template/spec/containers/0, operator: add, value: {name: first}}]}`,
			containers, `[{"name":"first"},{"image":"envoy@` + digest + `","name":"side"},{"image":"x","name":"c"}]`,
		},
		"PlaintextEscapes":  {custom, `{plaintext: [{path: /spec/a~1b/~0, operator: add, value: 1}, {path: /spec/images, operator: remove}, {path: /spec/template, operator: remove}]}`, []string{"spec"}, `{"a/b":{"image":"nginx:1","~":1}}`},
		"PlaintextVersion":  {deployment, `{plaintext: [{path: /apiVersion, operator: replace, value: apps/v1beta2}]}`, []string{"apiVersion"}, `"apps/v1beta2"`},
		"PlaintextSeesLast": {deployment, `{plaintext: [{path: /metadata/labels/app, operator: replace, value: last}], labelsOverrider: [{operator: replace, value: {app: before}}]}`, []string{"metadata", "labels"}, `{"app":"last"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := object(t, tc.object)
			before := in.DeepCopy()
			r, err := override.Apply(in, member("m1"), policyOf(t, tc.overriders))
			if err != nil {
				t.Fatal(err)
			}
			if got := toJSON(t, at(r.Object.Object, tc.path...)); got != tc.want {
				t.Errorf("%s is\n%s, want\n%s", strings.Join(tc.path, "."), got, tc.want)
			}
			if d := cmp.Diff(before, in); d != "" {
				t.Errorf("Apply changed its object (-before +after):\n%s", d)
			}
		})
	}
}

// at returns the value at a path; nil if there is none.
func at(value any, path ...string) any {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			var i int
			_, _ = fmt.Sscan(step, &i)
			value = v[i]
		}
	}
	return value
}

func TestOverridersRefuse(t *testing.T) {
	const field = "spec.overrideRules[0].overriders."
	cases := map[string]struct {
		object, overriders string
		field, want        string
	}{
		"ImageOutOfRange":   {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: /spec/images/7}}]}`, field + "imageOverrider[0]", "index 7 is not in the list, which has 2 items"},
		"ImageThroughText":  {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: /kind/x}}]}`, field + "imageOverrider[0]", "/kind is a string, not a map or a list"},
		"ImageNotText":      {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: /spec/images/1}}]}`, field + "imageOverrider[0]", "/spec/images/1 is a number, not an image"},
		"ImageBadPointer":   {custom, `{imageOverrider: [{component: Tag, operator: remove, predicate: {path: spec}}]}`, field + "imageOverrider[0]", `predicate.path: pointer "spec" does not start with a slash`},
		"ImageBadTag":       {deployment, `{imageOverrider: [{component: Tag, operator: replace, value: "v1"}, {component: Tag, operator: replace, value: ":v1"}]}`, field + "imageOverrider[1]", `/spec/template/spec/containers/0/image: ":v1" is neither a tag nor a digest`},
		"ImageNoRepository": {deployment, `{imageOverrider: [{component: Repository, operator: remove}]}`, field + "imageOverrider[0]", `is not of the form`},
		"ImageComponent":    {deployment, `{imageOverrider: [{component: Host, operator: remove}]}`, field + "imageOverrider[0]", `component "Host" is not Registry, Repository or Tag`},
		"ImageOperator":     {deployment, `{imageOverrider: [{component: Tag, operator: move}]}`, field + "imageOverrider[0]", `operator "move" is not add, remove or replace`},
		"CommandOperator":   {deployment, `{commandOverrider: [{containerName: web, operator: replace}]}`, field + "commandOverrider[0]", `operator "replace" is not add or remove`},
		"LabelsOperator":    {deployment, `{labelsOverrider: [{operator: swap, value: {}}]}`, field + "labelsOverrider[0]", `operator "swap"`},

		"PlaintextMissing":   {deployment, `{plaintext: [{path: /spec/replicas, operator: replace, value: 1}, {path: /spec/none, operator: remove}]}`, field + "plaintext[1]", `remove /spec/none: /spec has no "none"`},
		"PlaintextReplace":   {deployment, `{plaintext: [{path: /spec/none, operator: replace, value: 1}]}`, field + "plaintext[0]", `replace /spec/none: /spec has no "none"`},
		"PlaintextNoParent":  {deployment, `{plaintext: [{path: /metadata/annotations/a, operator: add, value: b}]}`, field + "plaintext[0]", `/metadata has no "annotations"; add it first`},
		"PlaintextRoot":      {deployment, `{plaintext: [{path: "", operator: remove}]}`, field + "plaintext[0]", "the whole object cannot be removed"},
		"PlaintextRootList":  {deployment, `{plaintext: [{path: "", operator: replace, value: []}]}`, field + "plaintext[0]", "the object would become a list"},
		"PlaintextName":      {deployment, `{plaintext: [{path: /metadata/name, operator: replace, value: two}]}`, field + "plaintext[0]", "an override cannot make another object of Deployment.apps ns/one: it would become Deployment.apps ns/two"},
		"PlaintextNamespace": {deployment, `{plaintext: [{path: /metadata/namespace, operator: replace, value: kube-system}]}`, field + "plaintext[0]", "cannot make another object"},
		"PlaintextKind":      {deployment, `{plaintext: [{path: "", operator: replace, value: {apiVersion: v1, kind: Secret, metadata: {name: one, namespace: ns}}}]}`, field + "plaintext[0]", "it would become Secret ns/one"},
		"PlaintextIndex":     {deployment, `{plaintext: [{path: /spec/template/spec/containers/02, operator: remove}]}`, field + "plaintext[0]", `"02" is not an index of a list`},

		"FieldMissing":   {deployment, `{fieldOverrider: [{fieldPath: /data/x, yaml: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0].fieldPath", `the object has no "data"`},
		"FieldNotText":   {deployment, `{fieldOverrider: [{fieldPath: /spec/replicas, json: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0].fieldPath", "/spec/replicas is a number; a document stands in a string"},
		"FieldPointer":   {deployment, `{fieldOverrider: [{fieldPath: data, json: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0].fieldPath", "does not start with a slash"},
		"FieldScalar":    {deployment, `{fieldOverrider: [{fieldPath: /kind, yaml: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0].yaml", `the document is the scalar "Deployment", not a map or a list`},
		"FieldOperation": {custom, `{fieldOverrider: [{fieldPath: /spec/a~1b/image, yaml: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0].yaml", `the document is the scalar "nginx:1"`},
		"FieldBoth":      {deployment, `{fieldOverrider: [{fieldPath: /kind, yaml: [{subPath: /a, operator: remove}], json: [{subPath: /a, operator: remove}]}]}`, field + "fieldOverrider[0]", "json and yaml exclude each other"},
		"FieldNeither":   {deployment, `{fieldOverrider: [{fieldPath: /kind}]}`, field + "fieldOverrider[0]", "there are neither json nor yaml operations"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := override.Apply(object(t, tc.object), member("m1"), policyOf(t, tc.overriders))
			var failed *override.Error
			if !errors.As(err, &failed) {
				t.Fatalf("Apply() = %v, %v, want an *Error", r, err)
			}
			want := override.Error{Policy: "OverridePolicy ns/p", Field: tc.field, Cluster: "m1", Err: failed.Err}
			if *failed != want || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one of %s with %q", err, tc.field, tc.want)
			}
			if r.Object != nil || r.Namespaced != nil {
				t.Errorf("an error comes with a result: %v", r)
			}
		})
	}
}

func TestPoliciesRefused(t *testing.T) {
	broken := policyOf(t, `{labelsOverrider: [{operator: add, value: {a: b}}]}`)
	p := broken.Namespaced[0]
	p.Spec.OverrideRules[0].TargetCluster = &policyv1alpha1.ClusterAffinity{FieldSelector: &policyv1alpha1.FieldSelector{}}
	p.Spec.OverrideRules[0].TargetCluster.FieldSelector.MatchExpressions = append(p.Spec.OverrideRules[0].TargetCluster.FieldSelector.MatchExpressions, requirement("planet"))
	_, err := override.Apply(object(t, deployment), member("m1"), broken)
	if want := `OverridePolicy ns/p: spec.overrideRules[0].targetCluster, for cluster m1: read field selector: key "planet" is not provider, region or zone`; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}

	var c policyv1alpha1.ClusterOverridePolicy
	c.Name = "c"
	c.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{
		{APIVersion: "v1", Kind: "ConfigMap"},
		{APIVersion: "apps/v1", Kind: "Deployment", LabelSelector: malformed()},
	}
	_, err = override.Apply(object(t, deployment), member("m1"), override.Policies{ClusterWide: []*policyv1alpha1.ClusterOverridePolicy{&c}})
	if want := `ClusterOverridePolicy c: spec.resourceSelectors[1].labelSelector, for cluster m1: "Like" is not a valid label selector operator`; fmt.Sprint(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := override.Apply(object(t, custom), member("m1"), override.Policies{ClusterWide: []*policyv1alpha1.ClusterOverridePolicy{&c}}); err != nil {
		t.Errorf("a broken selector of another kind fails: %v", err)
	}

	many := policyOf(t, `{}`)
	for range 5000 {
		many.Namespaced[0].Spec.OverrideRules[0].Overriders.Plaintext = append(many.Namespaced[0].Spec.OverrideRules[0].Overriders.Plaintext,
			policyv1alpha1.PlaintextOverrider{Path: "/spec/x", Operator: "add"})
	}
	if _, err := override.Apply(object(t, deployment), member("m1"), many); err == nil || !strings.Contains(err.Error(), "plaintext[4096], for cluster m1: the policies have more than 4096 items") {
		t.Errorf("5000 items: %v", err)
	}
}

// TestShares checks that what is not changed is shared, and without policies the object is
// the same.
func TestShares(t *testing.T) {
	in := object(t, deployment)
	r, err := override.Apply(in, member("m1"), override.Policies{})
	if err != nil || r.Object != in {
		t.Fatalf("without policies: %p, %v, want %p", r.Object, err, in)
	}
	r, err = override.Apply(in, member("m1"), policyOf(t, `{plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: x}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, shared := range map[string]bool{
		"metadata": true, "spec": false, "spec.template.spec": false, "spec.template.spec.containers.0": false,
		"spec.template.spec.containers.1": true, "spec.template.spec.initContainers": true,
	} {
		if got := same(at(in.Object, strings.Split(path, ".")...), at(r.Object.Object, strings.Split(path, ".")...)); got != shared {
			t.Errorf("%s is shared: %t, want %t", path, got, shared)
		}
	}
	r, err = override.Apply(in, member("m1"), policyOf(t, `{labelsOverrider: [{operator: add, value: {app: web}}], imageOverrider: [{component: Registry, operator: replace, value: a.io, predicate: {path: /spec/template/spec/containers/0/image}}]}`))
	if err != nil || !same(in.Object, r.Object.Object) {
		t.Errorf("an override that changes nothing copies the object (%v)", err)
	}
}

// same reports whether two maps or lists are one.
func same(a, b any) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

func FuzzApply(f *testing.F) {
	f.Add(deployment, `{imageOverrider: [{component: Tag, operator: add, value: x}], plaintext: [{path: /spec/a, operator: add, value: 1}]}`)
	f.Add(deployment, `{commandOverrider: [{containerName: web, operator: remove, value: [a]}], labelsOverrider: [{operator: add, value: {a: b}}], annotationsOverrider: [{operator: replace, value: {a: b}}]}`)
	f.Add(`{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {x: "YTogMQo="}}`, `{fieldOverrider: [{fieldPath: /data/x, yaml: [{subPath: /a, operator: replace, value: {b: 1}}]}]}`)
	f.Add(`{apiVersion: v1, kind: Pod, metadata: 5, spec: {containers: [1]}}`, `{imageOverrider: [{component: Tag, operator: remove}], argsOverrider: [{containerName: a, operator: add}], fieldOverrider: [{fieldPath: /a, json: [{subPath: "", operator: add, value: []}]}]}`)
	f.Fuzz(func(t *testing.T, objectText, overriders string) {
		if len(objectText)+len(overriders) > 10000 {
			return
		}
		in, p, ok := fuzzed(objectText, overriders)
		if !ok {
			return
		}
		before, policyBefore := in.DeepCopy(), toJSON(t, p)
		r, err := override.Apply(in, member("m1"), p)
		var failed *override.Error
		if err != nil && (!errors.As(err, &failed) || failed.Policy == "" || failed.Field == "" || failed.Cluster != "m1") {
			t.Fatalf("error without a place: %#v", err)
		}
		if !reflect.DeepEqual(before, in) || toJSON(t, p) != policyBefore {
			t.Fatalf("Apply changed what it got: %s", cmp.Diff(before, in))
		}
		if err != nil {
			return
		}
		again, err := override.Apply(in, member("m1"), p)
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("Apply is not the same twice (%v): %s", err, cmp.Diff(r, again))
		}
		_ = r.Object.DeepCopy() // panics on values that are not plain
	})
}
