// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// serveObject starts a server that has one object, of a kind of a group, and nothing else, and writes a
// kubeconfig for it: serve OBJECT KUBECONFIG. Each request that is not to read fails the script.
func serveObject(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve OBJECT KUBECONFIG")
	}
	var object struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
	}
	data := []byte(ts.ReadFile(args[0]))
	ts.Check(yaml.Unmarshal(data, &object))
	asJSON, err := yaml.YAMLToJSON(data)
	ts.Check(err)
	group, version, _ := strings.Cut(object.APIVersion, "/")
	plural := strings.ToLower(object.Kind) + "s"
	answers := map[string]any{
		"/api": metav1.APIVersions{},
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{{
			Name: group, Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: object.APIVersion, Version: version}},
			PreferredVersion: metav1.GroupVersionForDiscovery{GroupVersion: object.APIVersion, Version: version},
		}}},
		"/apis/" + object.APIVersion: metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: object.APIVersion,
			APIResources: []metav1.APIResource{{Name: plural, SingularName: strings.ToLower(object.Kind), Kind: object.Kind, Namespaced: true, Verbs: metav1.Verbs{"get"}}},
		},
		fmt.Sprintf("/apis/%s/namespaces/%s/%s/%s", object.APIVersion, object.Metadata.Namespace, plural, object.Metadata.Name): json.RawMessage(asJSON),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, known := answers[r.URL.Path]
		if r.Method != http.MethodGet || !known {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: 404, Message: "not found"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	ts.Defer(server.Close)
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u, namespace: %s}}]
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {}}]
`, object.Metadata.Namespace, server.URL)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(config), 0o600))
}
