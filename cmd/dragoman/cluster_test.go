// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClusterVerbs compares the verbs that the program of authors lists with those that it runs
// another program for.
func TestClusterVerbs(t *testing.T) {
	var got []clusterVerb
	for _, c := range newClusterCommands(Streams{}) {
		got = append(got, clusterVerb{c.Use, c.Short})
	}
	if diff := cmp.Diff(clusterVerbs, got, cmp.AllowUnexported(clusterVerb{})); diff != "" {
		t.Errorf("the verbs that need a control plane (-listed +there):\n%s", diff)
	}
}

// TestAuthorsLinkNoClients has what the program of authors is built from.
func TestAuthorsLinkNoClients(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "nocluster", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	// The JSON paths of policies are read by a package of client-go that needs nothing else of it.
	allowed := []string{"k8s.io/client-go/util/jsonpath", "k8s.io/client-go/third_party/forked/golang/template"}
	for _, p := range strings.Fields(string(out)) {
		if p == allowed[0] || p == allowed[1] {
			continue
		}
		for _, banned := range []string{"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "google.golang.org/grpc"} {
			if p == banned || strings.HasPrefix(p, banned+"/") {
				t.Errorf("check, test and eval link %s", p)
			}
		}
	}
}
