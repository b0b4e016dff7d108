// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/dragoman-io/dragoman/test/suite"
)

// kubeconfigOf writes a kubeconfig of an address.
func kubeconfigOf(t *testing.T, at suite.Address) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["hub"] = &clientcmdapi.Cluster{Server: at.URL, CertificateAuthorityData: at.CA}
	c.AuthInfos["hub"] = &clientcmdapi.AuthInfo{Token: at.Token}
	c.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: "hub"}
	c.CurrentContext = "hub"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// startBehindProxy starts a control plane with a proxy before it. Both end with the test.
func startBehindProxy(t *testing.T) (*suite.Suite, *suite.Proxy) {
	s, err := suite.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := suite.NewProxy(s.Fleet.ControlPlane)
	if err != nil {
		t.Fatal(errors.Join(err, s.Stop()))
	}
	t.Cleanup(func() {
		proxy.Close()
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s, proxy
}

// TestStartNamesWhatItWaitsFor starts a manager whose list of one kind hangs, and of another one is
// forbidden.
func TestStartNamesWhatItWaitsFor(t *testing.T) {
	s, proxy := startBehindProxy(t)
	mended := make(chan struct{})
	proxy.Answer(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-mended:
			proxy.Pass(w, r)
			return
		default:
		}
		switch {
		case strings.HasSuffix(r.URL.Path, "/federatedresourcequotas"):
			select {
			case <-mended:
				proxy.Pass(w, r)
			case <-r.Context().Done():
			}
		case strings.HasSuffix(r.URL.Path, "/clusteroverridepolicies"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"clusteroverridepolicies is forbidden"}`))
		default:
			proxy.Pass(w, r)
		}
	})
	const hangs, forbidden = "policy.karmada.io/v1alpha1/FederatedResourceQuota", "policy.karmada.io/v1alpha1/ClusterOverridePolicy"

	m := start(t, kubeconfigOf(t, suite.Through(proxy, s.Fleet.ControlPlane)))
	until(t, "what the probe answers", func(ctx context.Context) string {
		answer := m.get(ctx, "/readyz/controllers")
		if strings.Contains(answer, hangs) && strings.Contains(answer, forbidden+" (") && strings.Contains(answer, "clusteroverridepolicies is forbidden") {
			return ""
		}
		return answer
	})
	until(t, "what the log has", func(context.Context) string {
		var waits, fails bool
		for line := range strings.Lines(m.out.String()) {
			waits = waits || strings.Contains(line, `"msg":"waited for kinds to be listed"`) && strings.Contains(line, hangs) && strings.Contains(line, forbidden) &&
				!strings.Contains(line, "/Secret")
			fails = fails || strings.Contains(line, `"msg":"could not list or watch a kind"`) && strings.Contains(line, `"kind":"`+forbidden+`"`) &&
				strings.Contains(line, "clusteroverridepolicies is forbidden") && strings.Contains(line, `"level":"error"`)
		}
		if waits && fails {
			return ""
		}
		return m.out.String()
	})

	close(mended)
	m.await(t, "/readyz")
	m.takesOver(t)
	until(t, "the end in the log", func(context.Context) string {
		if strings.Contains(m.out.String(), `"msg":"listed all kinds"`) {
			return ""
		}
		return m.out.String()
	})
	m.stop(t)
}
