// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// Socket is the environment variable that names the socket of the pool of a test run.
const Socket = "DRAGOMAN_SERVERS"

// Request is what a suite asks for.
type Request struct {
	// Holder names the suite in what is said of it: the path of its package.
	Holder string
	// Members are the names of the bare servers, beside the one hub.
	Members []string
}

// grant is the answer to a request.
type grant struct {
	Hub     *fleet.Cluster
	Members []*fleet.Cluster
	Error   string
}

// Lease is a hub and members that the caller has to itself until Close.
type Lease struct {
	Hub *fleet.Cluster
	// Members have the names and the order of the request.
	Members []*fleet.Cluster

	conn net.Conn
}

// Take asks the pool at a socket for servers, and waits until they are free. The caller
// must call Close; the end of its process does the same.
func Take(ctx context.Context, socket string, r Request) (*Lease, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("ask for servers (%s is set): %w", Socket, err)
	}
	g, err := ask(ctx, conn, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ask for servers: %w", err), conn.Close())
	}
	return &Lease{Hub: g.Hub, Members: g.Members, conn: conn}, nil
}

func ask(ctx context.Context, conn net.Conn, r Request) (grant, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	var g grant
	if err := json.NewEncoder(conn).Encode(r); err != nil {
		return g, err
	}
	if err := json.NewDecoder(conn).Decode(&g); err != nil {
		return g, errors.Join(ctx.Err(), err)
	}
	if g.Error != "" {
		return g, errors.New(g.Error)
	}
	return g, nil
}

// Close gives the servers back.
func (l *Lease) Close() error { return l.conn.Close() }
