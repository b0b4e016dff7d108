// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/scenario"
)

const (
	// outage is how long an API server does not answer.
	outage = 20 * time.Second
	// takeover is how long another manager may take to lead.
	takeover = 2 * time.Minute
)

// replicas are two managers, of which one leads. One that ends by itself is started again,
// as a kubelet does.
type replicas struct {
	launcher
	site            *site
	leader, standby *scenario.Manager
}

// start starts both, and returns once the first of them leads.
func (r *replicas) start(ctx context.Context) error {
	var err error
	if r.leader, err = r.launch(ctx); err != nil {
		return err
	}
	if _, err := r.holderAfter(ctx, ""); err != nil {
		return err
	}
	r.standby, err = r.launch(ctx)
	return err
}

func (r *replicas) revive(ctx context.Context) (bool, error) {
	var failed error
	ended := 0
	for _, m := range []**scenario.Manager{&r.leader, &r.standby} {
		if !hasEnded(*m) {
			continue
		}
		ended++
		var err error
		*m, err = r.launch(ctx)
		failed = errors.Join(failed, err)
	}
	return ended > 0, failed
}

// hasEnded reports whether a manager is gone.
func hasEnded(m *scenario.Manager) bool {
	select {
	case <-m.Ended():
		return true
	default:
		return false
	}
}

func (r *replicas) stop() {
	r.leader.Stop()
	r.standby.Stop()
}

// disturb ends the leader in both ways, then stops the API server of the control plane for
// a while, and ends that of a member.
func (r *replicas) disturb(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return r.handOver(ctx, "SIGTERM", (*scenario.Manager).Stop) },
		func(ctx context.Context) error { return r.handOver(ctx, "SIGKILL", (*scenario.Manager).Kill) },
		r.pauseHub, r.cutMember, r.finish,
	} {
		if err := pause(ctx, longest); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish replaces the managers if they are of several versions: the end of an upgrade.
func (r *replicas) finish(ctx context.Context) error {
	if !r.onlyLast() {
		return nil
	}
	r.stop()
	return r.start(ctx)
}

// handOver ends the leader, and waits until the other manager leads and has written a
// binding.
func (r *replicas) handOver(ctx context.Context, how string, end func(*scenario.Manager)) error {
	before, err := r.holderAfter(ctx, "")
	if err != nil {
		return err
	}
	began := time.Now()
	end(r.leader)
	ended := time.Now()
	left, err := r.bindings(ctx)
	if err != nil {
		return err
	}
	if _, err := r.holderAfter(ctx, before); err != nil {
		return err
	}
	leads := time.Since(ended)
	if err := r.written(ctx, left); err != nil {
		return err
	}
	fmt.Printf("  %s: the leader ended after %s; another led %s after that, and wrote %s after that\n", how,
		ended.Sub(began).Round(time.Millisecond), leads.Round(time.Millisecond), time.Since(ended).Round(time.Millisecond))
	r.leader = r.standby
	r.standby, err = r.launch(ctx)
	return err
}

// pauseHub has the API server of the control plane not answer for a while. A leader that
// cannot renew its lease ends; who ends is started again, once: a manager waits for an API
// server that does not answer.
func (r *replicas) pauseHub(ctx context.Context) error {
	hub := r.site.fleet.ControlPlane
	left, err := r.bindings(ctx)
	if err != nil {
		return err
	}
	if err := r.site.fleet.Pause(hub); err != nil {
		return err
	}
	began, ends := time.Now(), 0
	for over := time.After(outage); over != nil; {
		select {
		case <-r.leader.Ended():
			ends++
			r.leader, r.standby = r.standby, r.leader
			r.standby, err = r.launch(ctx)
		case <-r.standby.Ended():
			ends++
			r.standby, err = r.launch(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		case <-over:
			over = nil
		}
		if err != nil || ends > 5 {
			return errors.Join(err, r.site.fleet.Resume(hub), fmt.Errorf("%d managers ended in %s", ends, time.Since(began)))
		}
	}
	if err := r.site.fleet.Resume(hub); err != nil {
		return err
	}
	resumed := time.Now()
	if err := r.written(ctx, left); err != nil {
		return err
	}
	fmt.Printf("  the control plane did not answer for %s: %d managers ended and were started again; a binding was written %s after it answered\n",
		outage, ends, time.Since(resumed).Round(time.Millisecond))
	return nil
}

// cutMember ends the API server of a member, and starts it again.
func (r *replicas) cutMember(ctx context.Context) error {
	m := r.site.fleet.Members[0]
	if err := r.site.fleet.Cut(m); err != nil {
		return err
	}
	if err := pause(ctx, longest); err != nil {
		return err
	}
	fmt.Printf("  the API server of %s was killed, and started again\n", m.Name)
	return r.site.fleet.Restore(ctx, m)
}

// holderAfter waits until somebody else than before holds the lease, and returns who.
func (r *replicas) holderAfter(ctx context.Context, before string) (string, error) {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: names.SystemNamespace, Name: "dragoman-manager"}}
	var holder string
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, takeover, true, func(ctx context.Context) (bool, error) {
		if err := r.site.hub.Get(ctx, client.ObjectKeyFromObject(lease), lease); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		if lease.Spec.HolderIdentity != nil {
			holder = *lease.Spec.HolderIdentity
		}
		return holder != "" && holder != before, nil
	})
	if err != nil {
		return "", fmt.Errorf("wait for a leader other than %q: %w", before, err)
	}
	return holder, nil
}

// bindings returns how many bindings there are.
func (r *replicas) bindings(ctx context.Context) (int, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(workv1alpha2.GroupVersion.WithKind("ResourceBindingList"))
	err := r.site.hub.List(ctx, list, client.InNamespace(namespace))
	return len(list.Items), err
}

// written waits until there are others than so many bindings.
func (r *replicas) written(ctx context.Context, bindings int) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, takeover, true, func(ctx context.Context) (bool, error) {
		now, err := r.bindings(ctx)
		return now != bindings, err
	})
	if err != nil {
		return fmt.Errorf("wait for a binding: %w", err)
	}
	return nil
}

// launcher starts managers, of each of its binaries in turn, each with a log of its own.
type launcher struct {
	binaries        []string
	kubeconfig, dir string
	flags           []string
	started         int
}

// onlyLast has the last of the binaries launched from now on, and reports whether there were others.
func (l *launcher) onlyLast() bool {
	others := len(l.binaries) > 1
	l.binaries = l.binaries[len(l.binaries)-1:]
	return others
}

// launch starts the next of the binaries.
func (l *launcher) launch(ctx context.Context) (*scenario.Manager, error) {
	binary := l.binaries[l.started%len(l.binaries)]
	l.started++
	flags := append([]string{"--cluster-success-threshold", "1ms", "--cluster-owner=kills"}, l.flags...)
	return scenario.StartManager(ctx, binary, l.kubeconfig, filepath.Join(l.dir, fmt.Sprintf("manager-%02d.log", l.started)), flags...)
}

// pause waits, or returns the error of a context that ends meanwhile.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
