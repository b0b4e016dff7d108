// SPDX-License-Identifier: Apache-2.0

package member

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// access is how a cluster is reached, by its object and its Secret. Equal ones reach the
// same server in the same way.
type access struct {
	endpoint, token, ca string
	insecure            bool
	proxy               string
	// proxyHeader is JSON, whose keys are in order.
	proxyHeader string
}

// accessOf reads the access from a cluster and its Secret, which holds token and
// caBundle.
func accessOf(cluster *clusterv1alpha1.Cluster, secret *corev1.Secret) (access, error) {
	a := access{
		endpoint: cluster.Spec.APIEndpoint, insecure: cluster.Spec.InsecureSkipTLSVerification,
		token: strings.TrimSpace(string(secret.Data[clusterv1alpha1.SecretTokenKey])),
		proxy: cluster.Spec.ProxyURL,
	}
	if a.token == "" {
		return a, fmt.Errorf("secret %s/%s has no %q, which must hold a bearer token for cluster %s",
			secret.Namespace, secret.Name, clusterv1alpha1.SecretTokenKey, cluster.Name)
	}
	if !a.insecure {
		a.ca = string(secret.Data[clusterv1alpha1.SecretCADataKey])
	}
	if len(cluster.Spec.ProxyHeader) > 0 {
		raw, err := json.Marshal(cluster.Spec.ProxyHeader)
		if err != nil {
			return a, err
		}
		a.proxyHeader = string(raw)
	}
	return a, nil
}

// config returns the client configuration; all clients made of it share one rate and
// one transport, which nobody else has.
func (a access) config(l limits) (*rest.Config, error) {
	tls, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: a.insecure, CAData: []byte(a.ca)}})
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		TLSClientConfig: tls, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 25, IdleConnTimeout: 90 * time.Second,
		DialContext: (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	}
	if err := a.setProxy(transport); err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: a.endpoint, BearerToken: a.token, Transport: utilnet.SetTransportDefaults(transport),
		QPS: l.qps, Burst: l.burst, RateLimiter: flowcontrol.NewTokenBucketRateLimiter(l.qps, l.burst),
	}, nil
}

// setProxy makes the transport use the proxy, if there is one.
func (a access) setProxy(transport *http.Transport) error {
	if a.proxy == "" {
		transport.Proxy = http.ProxyFromEnvironment
		return nil
	}
	proxy, err := url.Parse(a.proxy)
	if err != nil {
		return fmt.Errorf("spec.proxyURL: %w", err)
	}
	transport.Proxy = http.ProxyURL(proxy)
	if a.proxyHeader == "" {
		return nil
	}
	headers := map[string]string{}
	if err := json.Unmarshal([]byte(a.proxyHeader), &headers); err != nil {
		return fmt.Errorf("spec.proxyHeader: %w", err)
	}
	transport.ProxyConnectHeader = http.Header{}
	for name, values := range headers {
		for value := range strings.SplitSeq(values, ",") {
			transport.ProxyConnectHeader.Add(name, value)
		}
	}
	return nil
}
