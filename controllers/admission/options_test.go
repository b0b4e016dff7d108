// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/api/crds"
)

func TestEndpoint(t *testing.T) {
	cases := map[string]struct {
		options Options
		want    *endpoint
		err     string
	}{
		"Off":       {options: Options{}},
		"Zero":      {options: Options{Address: "0", URL: "https://a"}},
		"Address":   {options: Options{Address: "10.0.0.1:8443"}, want: &endpoint{"10.0.0.1", 8443, "https://10.0.0.1:8443", []string{"10.0.0.1"}}},
		"IPv6":      {options: Options{Address: "[::1]:8443"}, want: &endpoint{"::1", 8443, "https://[::1]:8443", []string{"::1"}}},
		"URL":       {options: Options{Address: ":8443", URL: "https://hook.svc:443/path/"}, want: &endpoint{"", 8443, "https://hook.svc:443/path", []string{"hook.svc"}}},
		"NoURL":     {options: Options{Address: ":8443"}, err: "set their URL"},
		"AllNoURL":  {options: Options{Address: "0.0.0.0:8443"}, err: "set their URL"},
		"NoPort":    {options: Options{Address: "10.0.0.1"}, err: "missing port"},
		"BadPort":   {options: Options{Address: "10.0.0.1:http"}, err: "not the number of a port"},
		"Plain":     {options: Options{Address: "10.0.0.1:80", URL: "http://a"}, err: "not of the form"},
		"WithUser":  {options: Options{Address: "10.0.0.1:80", URL: "https://me@a"}, err: "not of the form"},
		"WithQuery": {options: Options{Address: "10.0.0.1:80", URL: "https://a?b"}, err: "not of the form"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := tc.options.endpoint()
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("got error %v, want %q", err, tc.err)
			}
			if err != nil {
				return
			}
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(endpoint{})); d != "" {
				t.Errorf("want -, got +:\n%s", d)
			}
		})
	}
}

// TestConfigurations finds each kind of package api in the configurations, and what the
// control plane writes itself only among those that validate.
func TestConfigurations(t *testing.T) {
	definitions, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	to := target{url: "https://hook", user: `it's \me`}
	validating, mutating := to.validatingConfiguration(definitions), to.mutatingConfiguration(definitions)
	if len(validating.Webhooks) != len(definitions) || len(mutating.Webhooks) != len(definitions)-3 {
		t.Errorf("%d kinds have %d validating and %d mutating webhooks", len(definitions), len(validating.Webhooks), len(mutating.Webhooks))
	}
	for _, w := range validating.Webhooks {
		conditions := []string{"!has(object.metadata.deletionTimestamp)"}
		if w.Rules[0].APIGroups[0] == "work.karmada.io" {
			conditions = append(conditions, `request.userInfo.username != 'it\'s \\me'`)
		}
		var got []string
		for _, c := range w.MatchConditions {
			got = append(got, c.Expression)
		}
		if d := cmp.Diff(conditions, got); d != "" {
			t.Errorf("%s: want -, got +:\n%s", w.Name, d)
		}
		if w.Name == "resourcebinding.karmada.io" && *w.ClientConfig.URL != "https://hook/validate-resourcebinding" {
			t.Errorf("%s is at %s", w.Name, *w.ClientConfig.URL)
		}
	}
}
