// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

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

// serveAnswers starts a server with recorded answers, and writes a kubeconfig for what is below /hub:
// answer ANSWERS KUBECONFIG REQUESTS. The answers are a map from a method and a path to a code and a body, in which
// SERVER is the address; all else is not found. Each request that is not to read is added to the file
// of requests.
func serveAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: answer ANSWERS KUBECONFIG REQUESTS")
	}
	var answers map[string]struct {
		Code int             `json:"code"`
		Body json.RawMessage `json:"body"`
	}
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[0])), &answers))
	requests, err := os.Create(ts.MkAbs(args[2]))
	ts.Check(err)
	var mu sync.Mutex
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := r.Method + " " + r.URL.Path
		if r.Method != http.MethodGet {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			fmt.Fprintf(requests, "%s %q\n", what, body)
			mu.Unlock()
		}
		a, known := answers[what]
		if !known {
			a.Code, a.Body = http.StatusNotFound, json.RawMessage(`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"}`)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(cmp.Or(a.Code, http.StatusOK))
		_, _ = w.Write(bytes.ReplaceAll(a.Body, []byte("SERVER"), []byte("http://"+r.Host)))
	})
	server.Start()
	ts.Defer(func() { server.Close(); _ = requests.Close() })
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "%s/hub"}}]
users: [{name: u, user: {}}]
`, server.URL)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(config), 0o600))
}
