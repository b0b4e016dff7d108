// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// operator plays the operator of the applications in a member: it reports each new copy as
// well, with a job of its own. It looks again as soon as the API server answers again.
type operator struct {
	// gadgets is for lists and writes, which are bounded in time, stream for watches.
	gadgets, stream dynamic.ResourceInterface
}

func newOperator(m *fleet.Cluster) (*operator, error) {
	brief, err := dynamic.NewForConfig(bounded(m))
	if err != nil {
		return nil, err
	}
	long, err := dynamic.NewForConfig(m.RESTConfig())
	if err != nil {
		return nil, err
	}
	return &operator{brief.Resource(gadgets).Namespace(namespace), long.Resource(gadgets).Namespace(namespace)}, nil
}

// run operates until ctx ends.
func (o *operator) run(ctx context.Context) {
	for ctx.Err() == nil {
		o.once(ctx)
		pause(ctx, glance)
	}
}

// once lists and watches until the watch ends.
func (o *operator) once(ctx context.Context) {
	list, err := o.gadgets.List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for i := range list.Items {
		o.begin(ctx, &list.Items[i])
	}
	stream, err := o.stream.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		return
	}
	defer stream.Stop()
	for e := range stream.ResultChan() {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			return
		}
		if e.Type == watch.Added || e.Type == watch.Modified {
			o.begin(ctx, u)
		}
	}
}

// jobs counts all jobs of a run: each has a name of its own.
var jobs atomic.Int64

func nextJob() string { return fmt.Sprint("job-", jobs.Add(1)) }

// begin begins the job of a copy that has not reported anything.
func (o *operator) begin(ctx context.Context, u *unstructured.Unstructured) {
	if _, reports, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "ok"); reports {
		return
	}
	name, uid := u.GetName(), u.GetUID()
	go func() {
		_ = o.report(ctx, name, uid, fmt.Sprintf(`{"ok":true,"job":%q}`, nextJob())) // it is tried again at the next list
	}()
}

// report changes the status of a copy, unless it is another one by now.
func (o *operator) report(ctx context.Context, name string, uid types.UID, status string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":%s}`, uid, status)
	_, err := o.gadgets.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
