// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// check returns what a component still lacks, or nil if it is ready.
type check func(context.Context) error

// etcdReady asks etcd, whose TLS files are in home, for its health.
func etcdReady(home, url string) check {
	return func(ctx context.Context) error {
		client, err := mutualTLS(home)
		if err != nil {
			return err
		}
		defer client.CloseIdleConnections()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("/health returned %s", resp.Status)
		}
		return nil
	}
}

func mutualTLS(home string) (*http.Client, error) {
	ca, crt, key := tlsFiles(home)
	pair, err := tls.LoadX509KeyPair(crt, key)
	if err != nil {
		return nil, err
	}
	bundle, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
	}}, nil
}

// serverReady wants /readyz and the namespaces that a server makes for itself a
// moment later.
func serverReady(c *Cluster) check {
	return func(ctx context.Context) error {
		client, err := kubernetes.NewForConfig(c.RESTConfig())
		if err != nil {
			return err
		}
		if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
			return err
		}
		for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
			if _, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
}

// leaderReady wants a holder of the lease called name in kube-system.
func leaderReady(client kubernetes.Interface, name string) check {
	return func(ctx context.Context) error {
		lease, err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
			return fmt.Errorf("nobody holds the lease %s", name)
		}
		return nil
	}
}

// defaultAccountReady wants the service account that pods run as by default.
func defaultAccountReady(client kubernetes.Interface) check {
	return func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	}
}

// nodesReady wants at least n nodes, all of them ready.
func nodesReady(client kubernetes.Interface, n int) check {
	return func(ctx context.Context) error {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if ready := countReady(nodes.Items); ready < max(n, len(nodes.Items)) {
			return fmt.Errorf("%d of %d nodes are ready", ready, max(n, len(nodes.Items)))
		}
		return nil
	}
}

func countReady(nodes []corev1.Node) int {
	ready := 0
	for _, node := range nodes {
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	return ready
}

// all joins checks: the first that fails counts.
func all(checks ...check) check {
	return func(ctx context.Context) error {
		for _, c := range checks {
			if err := c(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}
