// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// pace is the time from one template to the next.
	pace = 100 * time.Millisecond
	// late is how long a template may take to its member.
	late = 30 * time.Second
)

// result is what the innocent users saw of a phase.
type result struct {
	phase string
	// times are from the creation of a template to its copy in the member, sorted; missing
	// is how many did not arrive.
	times   []time.Duration
	missing int
	// active is the time from the creation of an innocent customization to its being
	// active; 0 if it was not.
	active time.Duration
	// memory is the most that the manager held so far.
	memory int64
	// processor is what the manager used in this phase, from its attack or its start on.
	processor time.Duration
	ended     bool
	// wrong is what the check of the phase found.
	wrong error
}

// phase runs one phase.
func (s *site) phase(ctx context.Context, m *manager, p phase, templates int) (result, error) {
	s.round++
	r := result{phase: p.name}
	used := m.processor()
	if err := s.begin(ctx, m, p); err != nil {
		return r, err
	}
	if p.restart {
		used = 0
	}
	activated := make(chan time.Duration, 1)
	go func() { activated <- s.activate(ctx) }()
	attacking, stop := context.WithCancel(ctx)
	beside := make(chan error, 1)
	go func() {
		if p.beside == nil {
			beside <- nil
			return
		}
		beside <- p.beside(attacking, s, m)
	}()
	err := s.propagate(ctx, templates, &r)
	r.active = <-activated
	stop()
	err = errors.Join(err, <-beside)
	r.memory, r.processor, r.ended = m.memory(), m.processor()-used, m.ended.Load()
	if err == nil && p.check != nil {
		r.wrong = p.check(ctx, s)
	}
	return r, errors.Join(err, s.clean(ctx))
}

// begin attacks, and starts the manager again if the phase says so.
func (s *site) begin(ctx context.Context, m *manager, p phase) error {
	if p.attack != nil {
		if err := p.attack(ctx, s); err != nil {
			return err
		}
	}
	if !p.restart {
		return nil
	}
	m.stop()
	if p.stopped != nil {
		if err := p.stopped(ctx, s); err != nil {
			return err
		}
	}
	return m.start()
}

// propagate creates templates and waits until they are in the member.
func (s *site) propagate(ctx context.Context, n int, r *result) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	prefix := fmt.Sprintf("t%d-", s.round)
	w, err := s.member.Resource(configMaps).Watch(watching, metav1.ListOptions{LabelSelector: "round=" + prefix + "x"})
	if err != nil {
		return err
	}
	defer w.Stop()
	created := make(chan map[string]time.Time, 1)
	go func() { created <- s.templates(ctx, prefix, n) }()
	arrived, times := map[string]time.Time{}, map[string]time.Time(nil)
	var end <-chan time.Time
	for times == nil || len(arrived) < len(times) {
		select {
		case e, ok := <-w.ResultChan():
			if !ok {
				return errors.New("the watch of the member ended")
			}
			if o, isObject := e.Object.(*unstructured.Unstructured); isObject && e.Type == watch.Added {
				arrived[o.GetName()] = time.Now()
			}
		case times = <-created:
			end = time.After(late)
		case <-end:
			r.count(times, arrived)
			return nil
		}
	}
	r.count(times, arrived)
	if len(times) < n {
		return fmt.Errorf("only %d of %d templates could be created", len(times), n)
	}
	return nil
}

// count notes the times of the templates.
func (r *result) count(created, arrived map[string]time.Time) {
	for name, at := range created {
		if there, ok := arrived[name]; ok {
			r.times = append(r.times, there.Sub(at))
		} else {
			r.missing++
		}
	}
	slices.Sort(r.times)
}

// templates creates innocent templates one after the other, and returns when each was.
func (s *site) templates(ctx context.Context, prefix string, n int) map[string]time.Time {
	created := map[string]time.Time{}
	for i := range n {
		name := prefix + fmt.Sprint(i)
		o := named("v1", "ConfigMap", innocent, name, map[string]any{"data": map[string]any{"a": "b"}})
		o["metadata"].(map[string]any)["labels"] = map[string]any{"round": prefix + "x"}
		at := time.Now()
		if _, err := s.hub.Resource(configMaps).Namespace(innocent).Create(ctx, &unstructured.Unstructured{Object: o}, metav1.CreateOptions{}); err == nil {
			created[name] = at
		}
		time.Sleep(pace)
	}
	return created
}

// activate creates an innocent customization, and returns how long it took to be active;
// 0 if it was not.
func (s *site) activate(ctx context.Context) time.Duration {
	name := fmt.Sprintf("innocent-%d", s.round)
	began := time.Now()
	err := create(ctx, s.hub, customizations, customization(name, "innocent.example/v1", fmt.Sprintf("Innocent%d", s.round), map[string]any{
		"healthInterpretation": map[string]any{"luaScript": "function InterpretHealth(o) return true end"},
	}))
	if err != nil {
		return 0
	}
	err = s.await(ctx, "an innocent customization", func(ctx context.Context) (bool, error) {
		o, err := s.hub.Resource(customizations).Get(ctx, name, metav1.GetOptions{})
		return err == nil && condition(o, "Active") == "True", nil
	})
	if err != nil {
		return 0
	}
	return time.Since(began)
}
