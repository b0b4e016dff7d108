// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"k8s.io/utils/clock"
)

const (
	// ServicePrefix goes before the name of a cluster in that of its estimator's Service.
	ServicePrefix = "karmada-scheduler-estimator-"
	// DefaultPort is the port of estimators.
	DefaultPort = 10352
	// DefaultTimeout is how long a cluster has for its answers.
	DefaultTimeout = 3 * time.Second

	defaultPause  = 5 * time.Second
	defaultMaxAge = 5 * time.Minute
	// pingAfter is after which silence a connection is checked, pingTimeout how long the
	// check may take.
	pingAfter, pingTimeout = 30 * time.Second, 10 * time.Second
	mostBytes              = 16 << 20
)

// Options are how estimators are reached. The zero value of a field is its default.
type Options struct {
	// Prefix, Namespace and Port are those of the Services; by default ServicePrefix,
	// karmada-system and DefaultPort.
	Prefix, Namespace string
	Port              uint16
	// Addresses are those of estimators in the place of their Services, by cluster.
	Addresses map[string]string
	// TLS is nil for plain text.
	TLS *tls.Config
	// Timeout is how long a cluster has for its answers.
	Timeout time.Duration
	// Pause is how long a cluster that did not answer is not asked again, 5 seconds by
	// default; meanwhile old answers count.
	Pause time.Duration
	// MaxAge is how old an answer may be that is given for a missing one, 5 minutes by
	// default; a negative one gives none.
	MaxAge time.Duration
	Clock  clock.PassiveClock
	// PushOnly has who asks leave out clusters in pull mode, which may have no address that the
	// control plane reaches.
	PushOnly bool
}

func (o Options) complete() Options {
	if o.Prefix == "" {
		o.Prefix = ServicePrefix
	}
	if o.Namespace == "" {
		o.Namespace = "karmada-system"
	}
	if o.Port == 0 {
		o.Port = DefaultPort
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Pause == 0 {
		o.Pause = defaultPause
	}
	if o.MaxAge == 0 {
		o.MaxAge = defaultMaxAge
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}

// service returns the address of the Service of a cluster's estimator. The resolver of a
// pod completes the name by the domain of the cluster; a Service of type ExternalName is
// another name to it.
// target returns the address of a cluster's estimator, as gRPC resolves it.
func (o Options) target(cluster string) string {
	if address, ok := o.Addresses[cluster]; ok {
		return "passthrough:///" + address
	}
	return "dns:///" + net.JoinHostPort(o.Prefix+cluster+"."+o.Namespace+".svc", strconv.Itoa(int(o.Port)))
}

// Client asks estimators. It keeps a connection for each cluster, and is safe for many
// goroutines.
type Client struct {
	options  Options
	mu       sync.Mutex
	clusters map[string]*cluster
}

var _ Estimator = (*Client)(nil)

// New returns a client, which connects to a cluster when that is first asked.
func New(o Options) *Client {
	return &Client{options: o.complete(), clusters: map[string]*cluster{}}
}

// Estimate asks each cluster for all its answers at once. It returns when all have
// answered or their timeout is over; a context that ends sooner ends it.
func (c *Client) Estimate(ctx context.Context, requests map[string]Request) map[string][]Answer {
	var (
		all = make(map[string][]Answer, len(requests))
		mu  sync.Mutex
		wg  sync.WaitGroup
	)
	for name, r := range requests {
		wg.Go(func() {
			answers := c.ask(ctx, name, r)
			mu.Lock()
			defer mu.Unlock()
			all[name] = answers
		})
	}
	wg.Wait()
	return all
}

func (c *Client) ask(ctx context.Context, name string, r Request) []Answer {
	if len(r.Questions) == 0 {
		return nil
	}
	cluster, err := c.cluster(name)
	if err != nil {
		return failed(r.Questions, err)
	}
	return cluster.ask(ctx, r)
}

// Forget closes the connection of a cluster and forgets its answers.
func (c *Client) Forget(name string) error {
	c.mu.Lock()
	gone := c.clusters[name]
	delete(c.clusters, name)
	c.mu.Unlock()
	if gone == nil {
		return nil
	}
	return gone.conn.Close()
}

// Close closes all connections.
func (c *Client) Close() error {
	c.mu.Lock()
	all := c.clusters
	c.clusters = map[string]*cluster{}
	c.mu.Unlock()
	var first error
	for _, gone := range all {
		if err := gone.conn.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (c *Client) cluster(name string) (*cluster, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.clusters[name]; known != nil {
		return known, nil
	}
	creds := insecure.NewCredentials()
	if c.options.TLS != nil {
		creds = credentials.NewTLS(c.options.TLS)
	}
	conn, err := grpc.NewClient(c.options.target(name), grpc.WithTransportCredentials(creds),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingAfter, Timeout: pingTimeout}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(mostBytes), grpc.MaxCallSendMsgSize(mostBytes)))
	if err != nil {
		return nil, fmt.Errorf("connect to the estimator of cluster %s: %w", name, err)
	}
	added := newCluster(name, conn, c.options)
	c.clusters[name] = added
	return added, nil
}
