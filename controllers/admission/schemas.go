// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/dragoman-io/dragoman/controllers/decide/schema/review"
	"github.com/dragoman-io/dragoman/controllers/decide/schema/schemapath"
)

const (
	// indexLifetime is how long the list of documents is used.
	indexLifetime = 10 * time.Second
	// patience is how long an answer waits for schemas; it is less than the least timeout
	// of a webhook. What is not there by then is there for the next one.
	patience = time.Second
)

// schemas are those of the kinds that the API server of the control plane serves, of its
// own and of CRDs alike, read from its OpenAPI documents. They are safe for many
// goroutines.
type schemas struct {
	client discovery.OpenAPIV3SchemaInterfaceWithContext
	clock  clock.PassiveClock
	group  singleflight.Group

	mu sync.Mutex
	// index has the documents that there are, by their group and version, as of read.
	index map[string]openapi.GroupVersionWithContext
	read  time.Time
	// documents are those that were read, by their URL, which has a hash of the content.
	documents map[string]*schemapath.Document
}

func newSchemas(c discovery.OpenAPIV3SchemaInterfaceWithContext, clock clock.PassiveClock) *schemas {
	return &schemas{client: c, clock: clock, documents: map[string]*schemapath.Document{}}
}

// warn returns warnings about an object. It is a help for whoever writes the object, and
// refuses nothing: without a schema there is no warning.
func (s *schemas) warn(ctx context.Context, object runtime.Object) []review.Warning {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return review.Warnings(object, func(kind schema.GroupVersionKind) *schemapath.Schema {
		d, err := s.document(limited, kind.GroupVersion())
		if err != nil {
			ctrl.LoggerFrom(ctx).V(1).Info("found no schema", "kind", kind.String(), "reason", err.Error())
		}
		if d == nil {
			return nil
		}
		return d.Kind(kind)
	})
}

// document returns the document of a group and version; nil if the API server serves none.
// It is read in another goroutine, for all who wait for it.
func (s *schemas) document(ctx context.Context, of schema.GroupVersion) (*schemapath.Document, error) {
	done := s.group.DoChan(of.String(), func() (any, error) {
		return s.fetch(context.WithoutCancel(ctx), of)
	})
	select {
	case result := <-done:
		d, _ := result.Val.(*schemapath.Document)
		return d, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *schemas) fetch(ctx context.Context, of schema.GroupVersion) (*schemapath.Document, error) {
	path := "apis/" + of.String()
	if of.Group == "" {
		path = "api/" + of.Version
	}
	index, err := s.current(ctx)
	if err != nil || index[path] == nil {
		return nil, err
	}
	url := index[path].ServerRelativeURL()
	s.mu.Lock()
	d := s.documents[url]
	s.mu.Unlock()
	if d != nil {
		return d, nil
	}
	text, err := index[path].SchemaWithContext(ctx, runtime.ContentTypeJSON)
	if err != nil {
		return nil, err
	}
	if d, err = schemapath.Read(text); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.documents[url] = d
	return d, nil
}

// current returns the documents that there are, and forgets those that are no more.
func (s *schemas) current(ctx context.Context) (map[string]openapi.GroupVersionWithContext, error) {
	s.mu.Lock()
	index, read := s.index, s.read
	s.mu.Unlock()
	if index != nil && s.clock.Since(read) < indexLifetime {
		return index, nil
	}
	index, err := s.client.OpenAPIV3WithContext(ctx).PathsWithContext(ctx)
	if err != nil {
		return nil, err
	}
	urls := map[string]bool{}
	for _, entry := range index {
		urls[entry.ServerRelativeURL()] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index, s.read = index, s.clock.Now()
	maps.DeleteFunc(s.documents, func(url string, _ *schemapath.Document) bool { return !urls[url] })
	return index, nil
}
