// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"fmt"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func (f *Fleet) startEtcd(ctx context.Context) error {
	return f.launch(ctx, 3, func(ports []int) (component, check) {
		f.etcdURL, f.gatewayURL = serverURL(ports[0]), serverURL(ports[2])
		return etcd(f.dir, ports), etcdReady(f.dir.run("etcd"), f.gatewayURL)
	})
}

// startServer starts the API server of c on a free port, sets c.URL and writes
// the kubeconfig.
func (f *Fleet) startServer(ctx context.Context, c *Cluster, disabledAdmission string) error {
	err := f.launch(ctx, 1, func(ports []int) (component, check) {
		c.URL = serverURL(ports[0])
		return f.versioned(c, apiserver(f.dir, c.Name, f.etcdURL, disabledAdmission, ports[0])), serverReady(c)
	})
	if err != nil {
		return err
	}
	return c.writeKubeconfig()
}

// versioned returns a server of a cluster as one of the version that the options name for it.
func (f *Fleet) versioned(c *Cluster, server component) component {
	server.binaries = f.opts.Servers[c.Name]
	return server
}

func (f *Fleet) startBare(ctx context.Context, c *Cluster) error {
	return f.startServer(ctx, c, withoutServiceAccounts)
}

func (f *Fleet) startControlPlane(ctx context.Context, c *Cluster) error {
	if err := f.startServer(ctx, c, withoutServiceAccounts); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		return err
	}
	return f.run(ctx, controllerManager(f.dir, c, controlPlaneControllers), leaderReady(client, "kube-controller-manager"))
}

func (f *Fleet) startMember(ctx context.Context, c *Cluster) error {
	if err := f.startServer(ctx, c, withoutNotReadyTaint); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		return err
	}
	if err := f.createNodes(ctx, c, client); err != nil {
		return err
	}
	return f.runControllers(ctx, c, client)
}

// runControllers starts what changes objects in a member.
func (f *Fleet) runControllers(ctx context.Context, c *Cluster, client kubernetes.Interface) error {
	group, ctx := newGroup(ctx)
	group.Go(func() error {
		return f.run(ctx, f.versioned(c, controllerManager(f.dir, c, memberControllers)),
			all(leaderReady(client, "kube-controller-manager"), defaultAccountReady(client)))
	})
	group.Go(func() error {
		return f.run(ctx, f.versioned(c, scheduler(f.dir, c)), leaderReady(client, "kube-scheduler"))
	})
	group.Go(func() error { return f.run(ctx, kwok(f.dir, c), nodesReady(client, f.opts.Nodes)) })
	return group.Wait()
}

// createNodes creates the member's nodes; kwok makes them ready.
func (f *Fleet) createNodes(ctx context.Context, c *Cluster, client kubernetes.Interface) error {
	for i := range f.opts.Nodes {
		name := fmt.Sprintf("%s-node%d", c.Name, i+1)
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			}},
			Status: corev1.NodeStatus{Capacity: f.opts.Capacity, Allocatable: f.opts.Capacity},
		}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create node %s: %w", name, err)
		}
	}
	return nil
}

// Cut kills the API server of c, so that the cluster cannot be reached. Its data
// stays. Err does not report it.
func (f *Fleet) Cut(c *Cluster) error {
	p := f.server(c)
	if p == nil || !p.isRunning() {
		return fmt.Errorf("cut %s: its API server does not run", c.Name)
	}
	if err := p.kill(); err != nil {
		return fmt.Errorf("cut %s: %w", c.Name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.saveState()
}

// Restore starts the API server that Cut has killed, on its old port with its
// old data, and returns when it is ready.
func (f *Fleet) Restore(ctx context.Context, c *Cluster) error {
	p := f.server(c)
	if p == nil || p.isRunning() {
		return fmt.Errorf("restore %s: its API server was not cut off", c.Name)
	}
	if err := f.run(ctx, p.component, serverReady(c)); err != nil {
		return fmt.Errorf("restore %s: %w", c.Name, err)
	}
	return nil
}

// RestartControllers starts the controllers, the scheduler and the stand-ins of a member anew, and returns
// when they run. After some outages of its API server the watches of each wait for up to a minute.
func (f *Fleet) RestartControllers(ctx context.Context, c *Cluster) error {
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		return err
	}
	var standIns []component
	for _, p := range f.snapshot() {
		if p.home != f.dir.run(c.Name) || p == f.server(c) {
			continue
		}
		if err := p.kill(); err != nil {
			return fmt.Errorf("restart the controllers of %s: %w", c.Name, err)
		}
		if p.standIn {
			standIns = append(standIns, p.component)
		}
	}
	for _, lease := range []string{"kube-controller-manager", "kube-scheduler"} { // they are held for days
		if err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(ctx, lease, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("release the lease %s in %s: %w", lease, c.Name, err)
		}
	}
	if err := f.runControllers(ctx, c, client); err != nil {
		return fmt.Errorf("restart the controllers of %s: %w", c.Name, err)
	}
	for _, standIn := range standIns {
		if err := f.run(ctx, standIn, playing); err != nil {
			return fmt.Errorf("restart a stand-in of %s: %w", c.Name, err)
		}
	}
	return nil
}

// Pause stops the API server of c from running, without ending it: it accepts
// connections and answers nothing, as one that hangs.
func (f *Fleet) Pause(c *Cluster) error { return f.signal(c, "pause", syscall.SIGSTOP) }

// Resume has the API server that Pause has stopped run on.
func (f *Fleet) Resume(c *Cluster) error { return f.signal(c, "resume", syscall.SIGCONT) }

func (f *Fleet) signal(c *Cluster, verb string, s syscall.Signal) error {
	p := f.server(c)
	if p == nil || !p.isRunning() {
		return fmt.Errorf("%s %s: its API server does not run", verb, c.Name)
	}
	return signalProcess(p, verb+" "+c.Name, s)
}

// signalProcess sends a signal to a process, and waits until one that stops it has; what names the
// attempt.
func signalProcess(p *process, what string, s syscall.Signal) error {
	err := p.cmd.Process.Signal(s)
	if err == nil && s == syscall.SIGSTOP {
		err = awaitStopped(p.cmd.Process.Pid)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
