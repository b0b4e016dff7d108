// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// patience is how long nothing may arrive before a phase is given up.
const patience = 3 * time.Minute

// arrivals are the Deployments in all members, by name, with the round that their
// annotation says. It is safe for many goroutines.
type arrivals struct {
	mu sync.Mutex
	// at has the time at which a copy of a round arrived, by member and name.
	at   map[copyKey]mark
	last time.Time
}

type copyKey struct{ member, name string }

type mark struct {
	round string
	at    time.Time
}

// roundAnnotation is by which copies are told from those before.
const roundAnnotation = "bench.example/round"

// watchMember records the Deployments of a member, until ctx ends.
func (a *arrivals) watchMember(ctx context.Context, member *fleet.Cluster) error {
	c, err := metadata.NewForConfig(member.RESTConfig())
	if err != nil {
		return err
	}
	informer := metadatainformer.NewFilteredMetadataInformer(c, deployments, namespace, 0, cache.Indexers{}, nil).Informer()
	see := func(o any) {
		if object, ok := o.(*metav1.PartialObjectMetadata); ok {
			a.see(copyKey{member.Name, object.Name}, object.Annotations[roundAnnotation])
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: see, UpdateFunc: func(_, o any) { see(o) },
		DeleteFunc: func(o any) {
			if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = gone.Obj
			}
			if object, ok := o.(*metav1.PartialObjectMetadata); ok {
				a.forget(copyKey{member.Name, object.Name})
			}
		},
	})
	if err != nil {
		return err
	}
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

func (a *arrivals) see(key copyKey, round string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at[key].round != round {
		a.at[key], a.last = mark{round, time.Now()}, time.Now()
	}
}

func (a *arrivals) forget(key copyKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.at, key)
	a.last = time.Now()
}

// missing returns how many copies of a round are not there.
func (a *arrivals) missing(round string, members, names []string) (int, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, m := range members {
		for _, name := range names {
			if a.at[copyKey{m, name}].round != round {
				n++
			}
		}
	}
	return n, a.last
}

// left returns how many copies are there.
func (a *arrivals) left() (int, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.at), a.last
}

// await waits until none is missing.
func await(ctx context.Context, what string, missing func() (int, time.Time)) error {
	began, shown := time.Now(), time.Now()
	for {
		n, last := missing()
		if n == 0 {
			return nil
		}
		if time.Since(last) > patience && time.Since(began) > patience {
			return fmt.Errorf("%d %s are missing, none came for %v", n, what, patience)
		}
		if time.Since(shown) > 30*time.Second {
			shown = time.Now()
			fmt.Printf("  after %s: %d %s missing\n", time.Since(began).Round(time.Second), n, what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// after returns how long each copy of a round took since its time, sorted.
func (a *arrivals) after(round, member string, since map[string]time.Time) []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	var took []time.Duration
	for name, at := range since {
		if m := a.at[copyKey{member, name}]; m.round == round {
			took = append(took, m.at.Sub(at))
		}
	}
	slices.Sort(took)
	return took
}

// quantiles prints the middle and the slow end of sorted times.
func quantiles(took []time.Duration) string {
	if len(took) == 0 {
		return "none arrived"
	}
	at := func(percent int) time.Duration {
		return took[max(0, (len(took)*percent+99)/100-1)].Round(time.Millisecond)
	}
	return fmt.Sprintf("%d arrived, p50 %v, p99 %v, slowest %v", len(took), at(50), at(99), at(100))
}
