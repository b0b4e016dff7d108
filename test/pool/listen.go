// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Listen serves requests at a socket until ctx ends. It returns when no connection is open
// any more, and closes those that are.
func (p *Pool) Listen(ctx context.Context, l net.Listener) error {
	var open sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		if err != nil {
			open.Wait()
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		open.Go(func() { p.talk(ctx, conn) })
	}
}

// talk serves one suite: it reads its request, answers, and takes the servers back when the
// connection ends, be it that the suite closes it or that its process is gone.
func (p *Pool) talk(serving context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(serving)
	defer cancel()
	defer conn.Close()                                  //nolint:errcheck // nothing was written that could be lost
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // also one that says nothing
	var r Request
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn) // until the other side closes it
		close(gone)
		cancel()
	}()
	slots, err := p.take(ctx, r)
	if err != nil {
		_ = json.NewEncoder(conn).Encode(grant{Error: err.Error()})
		return
	}
	defer p.takeBack(serving, slots)
	if err := p.lend(ctx, slots); err != nil {
		if !errors.Is(err, context.Canceled) {
			p.report(fmt.Errorf("give servers to %s: %w", r.Holder, err))
		}
		_ = json.NewEncoder(conn).Encode(grant{Error: err.Error()})
		return
	}
	if err := json.NewEncoder(conn).Encode(granted(slots, r)); err == nil {
		<-gone
	}
}

// granted is the answer with these servers: the hub, and then the members, by the names
// that the request has for them.
func granted(slots []*slot, r Request) grant {
	g := grant{Hub: slots[0].cluster}
	for i, s := range slots[1:] {
		named := *s.cluster
		named.Name = r.Members[i]
		g.Members = append(g.Members, &named)
	}
	return g
}
