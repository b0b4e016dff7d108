// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// change is one write to the store that all clusters of the fleet share. Its revision orders
// the writes of all clusters.
type change struct {
	key string
	// value is what was written; nil if the key was removed.
	value    []byte
	revision int64
	seen     time.Time
}

// stream reads each change of the store in its order, from where it began on: also those
// from a time when it could not read.
type stream struct {
	address string
	client  *http.Client
	handle  func(change)
	// next is the first revision that was not read; 0 before the first connection.
	next int64
	// began is closed once no change is missed any more.
	began chan struct{}
}

func newStream(f *fleet.Fleet, handle func(change)) (*stream, error) {
	address, client, err := f.StoreClient()
	if err != nil {
		return nil, err
	}
	return &stream{address: address, client: client, handle: handle, began: make(chan struct{})}, nil
}

// run reads until ctx ends; the error is that changes were missed.
func (s *stream) run(ctx context.Context) error {
	for ctx.Err() == nil {
		var missed *missedError
		if err := s.once(ctx); errors.As(err, &missed) {
			return err
		}
		pause(ctx, glance) // etcd is away
	}
	return nil
}

// missedError means that the store has forgotten changes that were not read.
type missedError struct{ from, to int64 }

func (e *missedError) Error() string {
	return fmt.Sprintf("the store has forgotten the changes from revision %d to %d before they were read", e.from, e.to)
}

// message is what the gateway of etcd answers to a watch.
type message struct {
	Result struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		} `json:"header"`
		Created         bool    `json:"created"`
		Canceled        bool    `json:"canceled"`
		CompactRevision int64   `json:"compact_revision,string"`
		Events          []event `json:"events"`
	} `json:"result"`
}

// event is one of its events; the type of a write is empty.
type event struct {
	Type string `json:"type"`
	KV   struct {
		Key         []byte `json:"key"`
		Value       []byte `json:"value"`
		ModRevision int64  `json:"mod_revision,string"`
	} `json:"kv"`
}

// once reads until the connection ends.
func (s *stream) once(ctx context.Context) error {
	// All keys begin with a slash, and "0" is the byte after it.
	body, err := json.Marshal(map[string]any{"create_request": map[string]any{
		"key": []byte("/"), "range_end": []byte("0"), "start_revision": s.next,
	}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+"/v3/watch", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("watch the store: %s: %s", response.Status, text)
	}
	for decoder := json.NewDecoder(response.Body); ; {
		var m message
		if err := decoder.Decode(&m); err != nil {
			return err
		}
		if err := s.take(&m); err != nil {
			return err
		}
	}
}

// take passes the changes of a message on.
func (s *stream) take(m *message) error {
	r := &m.Result
	switch {
	case r.CompactRevision > 0:
		return &missedError{s.next, r.CompactRevision}
	case r.Canceled:
		return errors.New("watch the store: it was canceled")
	case r.Created && s.next == 0:
		s.next = r.Header.Revision + 1
		close(s.began)
	}
	now := time.Now()
	for _, e := range r.Events {
		c := change{key: string(e.KV.Key), value: e.KV.Value, revision: e.KV.ModRevision, seen: now}
		if e.Type == "DELETE" {
			c.value = nil
		}
		s.handle(c)
		s.next = c.revision + 1
	}
	return nil
}
