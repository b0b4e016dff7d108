// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

const (
	// mostBytes is how large a request or response may be; that of 5,000 questions takes
	// about 1 MiB.
	mostBytes = 16 << 20
	// pingInterval is the least time between two keepalive pings of a client.
	pingInterval = 10 * time.Second
	// stopTimeout is how long requests may go on once the server is to stop.
	stopTimeout = 5 * time.Second
)

// Server serves a Service over gRPC.
type Server struct {
	// TLS is nil for plain text.
	TLS     *tls.Config
	Service *Service
	Metrics *Metrics
}

// Serve serves on a listener, which it closes, until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(mostBytes), grpc.MaxSendMsgSize(mostBytes),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingInterval, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(s.Metrics.intercept),
	}
	if s.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(s.TLS)))
	}
	g := grpc.NewServer(options...)
	s.Service.Register(g)
	defer context.AfterFunc(ctx, func() { stop(g) })()
	if err := g.Serve(l); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// stop ends a server once its requests have ended, or after a while.
func stop(g *grpc.Server) {
	forced := time.AfterFunc(stopTimeout, g.Stop)
	defer forced.Stop()
	g.GracefulStop()
}
