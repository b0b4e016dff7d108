// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Options are how the webhooks are served.
type Options struct {
	// Address is the host and port to serve at; "" and "0" serve nothing.
	Address string
	// URL is where the API server of the control plane reaches Address, by default at
	// Address itself: https://host[:port][/path].
	URL string
	// AllowNoExecute accepts ClusterTaintPolicies whose taints evict.
	AllowNoExecute bool
}

// endpoint is where webhooks are served.
type endpoint struct {
	host string
	port int
	// url is the URL that the paths of webhooks are appended to.
	url string
	// hosts are what the certificate is for.
	hosts []string
}

// endpoint returns where to serve; nil if nothing is to be served.
func (o Options) endpoint() (*endpoint, error) {
	if o.Address == "" || o.Address == "0" {
		return nil, nil
	}
	host, number, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the address of the webhooks: %w", err)
	}
	port, err := strconv.ParseUint(number, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("the address of the webhooks: %q is not the number of a port", number)
	}
	if ip := net.ParseIP(host); o.URL == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
		return nil, errors.New("the webhooks are served at all addresses; set their URL, where the API server of the control plane reaches them")
	}
	e := &endpoint{host: host, port: int(port)}
	return e, e.reachedAt(cmp.Or(o.URL, "https://"+o.Address))
}

// reachedAt sets the URL of the endpoint, and the host that its certificate is for.
func (e *endpoint) reachedAt(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("the URL of the webhooks: %q is not of the form https://host[:port][/path]", text)
	}
	e.url, e.hosts = strings.TrimSuffix(u.String(), "/"), []string{u.Hostname()}
	return nil
}
