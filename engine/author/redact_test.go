// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const secretText = "hunter2secret"

func TestRedact(t *testing.T) {
	tests := map[string]struct {
		object string
		// paths are what is reported; none means that the object stays as it is.
		paths []string
	}{
		"a plain object stays":              {`{"kind": "A", "spec": {"replicas": 2, "secretName": "db", "tokenSecretRef": {"name": "x", "key": "token"}, "url": "https://a:80/b"}}`, nil},
		"managed fields":                    {`{"kind": "A", "metadata": {"managedFields": [{"manager": "hunter2secret"}]}}`, []string{"metadata.managedFields"}},
		"the last applied object":           {`{"kind": "A", "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2secret"}}}`, []string{"metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]"}},
		"all data of a Secret":              {`{"apiVersion": "v1", "kind": "Secret", "data": {"a": "hunter2secret"}, "stringData": {"b": "hunter2secret"}}`, []string{"data.a", "stringData.b"}},
		"a variable of a template":          {`{"kind": "A", "spec": {"template": {"spec": {"containers": [{"env": [{"name": "MYSQL_ROOT_PASSWORD", "value": "hunter2secret"}]}]}}}}`, []string{"spec.template.spec.containers[0].env[0].value"}},
		"a variable in any list of names":   {`{"kind": "A", "spec": {"settings": [{"name": "auth.token", "value": "hunter2secret"}]}}`, []string{"spec.settings[0].value"}},
		"a variable that refers to one":     {`{"kind": "A", "spec": {"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "token"}}}]}}`, nil},
		"a map of variables":                {`{"kind": "A", "spec": {"env": {"AWS_SECRET_ACCESS_KEY": "hunter2secret", "MODE": "x"}}}`, []string{"spec.env.AWS_SECRET_ACCESS_KEY"}},
		"data of a ConfigMap":               {`{"apiVersion": "v1", "kind": "ConfigMap", "data": {"db.password": "hunter2secret", "mode": "x"}}`, []string{"data.db.password"}},
		"a field":                           {`{"kind": "A", "spec": {"auth": {"clientSecret": "hunter2secret"}}}`, []string{"spec.auth.clientSecret"}},
		"an argument":                       {`{"kind": "A", "spec": {"command": ["run", "--db-password=hunter2secret"]}}`, []string{"spec.command[1]"}},
		"a URL with a password in an array": {`{"kind": "A", "spec": {"urls": ["amqp://u:hunter2secret@mq"]}}`, []string{"spec.urls[0]"}},
		"a web token anywhere":              {`{"kind": "A", "status": {"message": "got eyJhbGciOiJIUzI1.eyJzdWIiOiJodW50.hunter2secret"}}`, []string{"status.message"}},
		"a header":                          {`{"kind": "A", "spec": {"header": "Authorization: Bearer hunter2secret"}}`, []string{"spec.header"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var object map[string]any
			if err := json.Unmarshal([]byte(test.object), &object); err != nil {
				t.Fatal(err)
			}
			before := (&unstructured.Unstructured{Object: object}).DeepCopy()
			got, paths := Redact(&unstructured.Unstructured{Object: object})
			if d := cmp.Diff(test.paths, paths); d != "" {
				t.Errorf("paths (-want +got):\n%s", d)
			}
			if d := cmp.Diff(before.Object, object); d != "" {
				t.Errorf("the object itself was changed:\n%s", d)
			}
			text, err := json.Marshal(got.Object)
			if err != nil || strings.Contains(string(text), secretText) {
				t.Errorf("error %v; the object is %s", err, text)
			}
			if again, more := Redact(got); len(more) > 0 || !cmp.Equal(got.Object, again.Object) {
				t.Errorf("redacted once more: %v", more)
			}
		})
	}
}
