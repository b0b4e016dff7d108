// SPDX-License-Identifier: Apache-2.0

package schemapath

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const openAPI = `{"components": {"schemas": {
  "io.k8s.api.apps.v1.Deployment": {
    "type": "object",
    "properties": {
      "metadata": {"allOf": [{"$ref": "#/components/schemas/meta.ObjectMeta"}], "default": {}},
      "spec": {"allOf": [{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"}]},
      "status": {"$ref": "#/components/schemas/elsewhere"}
    },
    "x-kubernetes-group-version-kind": [{"group": "apps", "kind": "Deployment", "version": "v1"}]
  },
  "io.k8s.api.apps.v1.DeploymentSpec": {
    "type": "object",
    "properties": {
      "replicas": {"type": "integer"},
      "maxSurge": {"oneOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true},
      "template": {"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec"},
      "containers": {"type": "array", "items": {"type": "object", "properties": {"image": {"type": "string"}, "env": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}}
    }
  },
  "meta.ObjectMeta": {"type": "object", "properties": {"name": {"type": "string"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}},
  "circle": {"$ref": "#/components/schemas/circle", "x-kubernetes-group-version-kind": [{"group": "", "kind": "Circle", "version": "v1"}]}
}}}`

const definition = `{"type": "object", "properties": {
  "spec": {"type": "object", "properties": {"free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}, "any": {"x-kubernetes-preserve-unknown-fields": true},
    "values": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}},
    "loose": {"type": "object", "additionalProperties": true}, "plain": {"type": "object"}}},
  "status": {"type": "object", "properties": {
    "jobStatus": {"type": "object", "properties": {"jobId": {"type": "string"}, "state": {"type": "string"}}},
    "conditions": {"type": "array", "items": {"type": "object", "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}
}}`

func schemas(t *testing.T) (deployment, flink *Schema) {
	t.Helper()
	d, err := Read([]byte(openAPI))
	if err != nil {
		t.Fatal(err)
	}
	deployment = d.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	if flink, err = OfDefinition([]byte(definition)); err != nil || deployment == nil {
		t.Fatalf("Deployment %v, CRD: %v", deployment, err)
	}
	return deployment, flink
}

func TestPointer(t *testing.T) {
	deployment, flink := schemas(t)
	cases := []struct {
		schema          *Schema
		pointer         string
		missing, atType string
	}{
		{deployment, "", "", "object"},
		{deployment, "/spec/replicas", "", "integer"},
		{deployment, "/spec/template/template/replicas", "", "integer"},
		{deployment, "/spec/replica", "spec.replica; did you mean replicas?", ""},
		{deployment, "/spce/replicas", "spce; did you mean spec?", ""},
		{deployment, "/spec/entirelyelse", "spec.entirelyelse", ""},
		{deployment, "/spec/replicas/a", "spec.replicas.a, because it is below a value of type integer", ""},
		{deployment, "/spec/maxSurge", "", ""},
		{deployment, "/spec/maxSurge/a", "", ""},
		{deployment, "/spec/containers/0/image", "", "string"},
		{deployment, "/spec/containers/-", "", "object"},
		{deployment, "/spec/containers/0/env/-/nmae", "spec.containers[0].env[-].nmae; did you mean name?", ""},
		{deployment, "/metadata/labels/example.com~1a", "", "string"},
		{deployment, "/metadata/lables", "metadata.lables; did you mean labels?", ""},
		{deployment, "/status/what/is/not/known", "", ""},
		{flink, "/metadata/lables", "", ""},
		{flink, "/kind", "", "string"},
		{flink, "/spec/free/a/b", "", ""},
		{flink, "/spec/any/a/b", "", ""},
		{flink, "/spec/loose/a/b", "", ""},
		{flink, "/spec/plain/a", "", ""},
		{flink, "/spec/values/x/a", "", "string"},
		{flink, "/spec/values/x/b", "spec.values.x.b; did you mean a?", ""},
	}
	for _, tc := range cases {
		missing, atType := tc.schema.Pointer(tc.pointer)
		if got := text(missing); got != tc.missing || atType != tc.atType {
			t.Errorf("Pointer(%q) = %q, type %q; want %q, type %q", tc.pointer, got, atType, tc.missing, tc.atType)
		}
	}
}

func TestTemplate(t *testing.T) {
	deployment, flink := schemas(t)
	cases := []struct {
		schema *Schema
		path   string
		want   string
	}{
		{flink, "{ .jobStatus.jobId }", ""},
		{flink, "{.jobStatus.jobID}", "status.jobStatus.jobID; did you mean jobId?"},
		{flink, "{ $.jobStatus.jobID }", "status.jobStatus.jobID; did you mean jobId?"},
		{flink, "{ ['jobStatus']['jobID'] }", "status.jobStatus.jobID; did you mean jobId?"},
		{flink, "a-{.jobStatus.state}-{.jobStatus.sate}", "status.jobStatus.sate; did you mean state?"},
		{flink, "{ .jobStatus.jobId.x }", "status.jobStatus.jobId.x, because it is below a value of type string"},
		{flink, "{ .generation }", ""},
		{flink, "{ .conditions[0].type }", ""},
		{flink, "{ .conditions[0].typ }", "status.conditions[*].typ; did you mean type?"},
		{flink, `{ .conditions[?(@.type=="Ready")].stauts }`, "status.conditions[?].stauts; did you mean status?"},
		{flink, "{ .conditions.type }", "status.conditions.type, because it is below a value of type array"},
		{flink, "{ ..jobID }", ""},
		{flink, "{ .jobStatus.* }", ""},
		{deployment, "{ .anything }", ""},
	}
	for _, tc := range cases {
		parsed, err := ParseTemplate(tc.path)
		if err != nil {
			t.Errorf("ParseTemplate(%q): %v", tc.path, err)
			continue
		}
		if got := text(tc.schema.Template(parsed, "status", "generation")); got != tc.want {
			t.Errorf("Template(%q) = %q, want %q", tc.path, got, tc.want)
		}
	}
}

func TestTemplateWithoutStatus(t *testing.T) {
	s, err := OfDefinition([]byte(`{"type": "object", "properties": {"data": {"type": "object"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	parsed, _ := ParseTemplate("{ .a }")
	if got := text(s.Template(parsed, "status")); got != "status" {
		t.Errorf("got %q", got)
	}
}

func TestParseTemplate(t *testing.T) {
	for text, paths := range map[string]bool{"{ .a }": true, ".a": false, "a {.b}": true} {
		parsed, err := ParseTemplate(text)
		if err != nil || parsed.HasPath() != paths {
			t.Errorf("ParseTemplate(%q): paths %v, error %v", text, !paths, err)
		}
	}
	for _, text := range []string{"{ .a[ }", "{ .a", "{ .a[x] }"} {
		if _, err := ParseTemplate(text); err == nil {
			t.Errorf("ParseTemplate(%q) is fine", text)
		}
	}
}

func TestReferencesInACircle(t *testing.T) {
	d, err := Read([]byte(openAPI))
	if err != nil {
		t.Fatal(err)
	}
	s := d.Kind(schema.GroupVersionKind{Version: "v1", Kind: "Circle"})
	if missing, _ := s.Pointer("/a/b/c"); missing != nil {
		t.Errorf("got %v; what cannot be resolved may have any field", missing)
	}
}

func text(m *Missing) string {
	if m == nil {
		return ""
	}
	return m.String()
}
