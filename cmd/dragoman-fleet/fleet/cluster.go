// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Cluster is one running API server and what an administrator needs to reach it.
// It does not change after Start; many goroutines may use it.
type Cluster struct {
	Name       string
	URL        string // https://127.0.0.1:port
	Token      string // bearer token of a user in system:masters
	CA         []byte // PEM bundle that the server's certificate chains to
	Kubeconfig string // path of a kubeconfig file with the same credentials
}

// RESTConfig returns a new client configuration without client-side rate limit.
func (c *Cluster) RESTConfig() *rest.Config {
	return &rest.Config{
		Host:            c.URL,
		BearerToken:     c.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.CA},
		QPS:             -1,
	}
}

// newCluster makes the keys, certificates and the token of a cluster that has no
// URL yet.
func newCluster(name string, dir folder) (*Cluster, error) {
	home := dir.run(name)
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	ca, err := newAuthority(name)
	if err != nil {
		return nil, err
	}
	if err := ca.issue(home, "kube-apiserver"); err != nil {
		return nil, err
	}
	if err := writeServiceAccountKey(filepath.Join(home, "sa.key")); err != nil {
		return nil, err
	}
	c := &Cluster{Name: name, Token: rand.Text(), CA: ca.bundle, Kubeconfig: dir.kubeconfig(name)}
	users := fmt.Sprintf("%s,admin,admin,system:masters\n", c.Token)
	return c, os.WriteFile(filepath.Join(home, "tokens.csv"), []byte(users), 0o600)
}

// writeKubeconfig writes the file at c.Kubeconfig, mode 0600. Context, cluster
// and user have the name of the cluster, so that several files can be merged.
func (c *Cluster) writeKubeconfig() error {
	config := clientcmdapi.NewConfig()
	config.Clusters[c.Name] = &clientcmdapi.Cluster{Server: c.URL, CertificateAuthorityData: c.CA}
	config.AuthInfos[c.Name] = &clientcmdapi.AuthInfo{Token: c.Token}
	config.Contexts[c.Name] = &clientcmdapi.Context{Cluster: c.Name, AuthInfo: c.Name}
	config.CurrentContext = c.Name
	return clientcmd.WriteToFile(*config, c.Kubeconfig)
}
