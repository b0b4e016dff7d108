// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNotRunning is returned when no fleet lives in a folder.
var ErrNotRunning = errors.New("no fleet is running there")

// probeTimeout bounds the requests to one cluster.
const probeTimeout = 5 * time.Second

// Status is the state of a fleet of another process.
type Status struct {
	Dir       string          `json:"dir"`
	PID       int             `json:"pid"` // of the process that holds the fleet
	Began     time.Time       `json:"began"`
	Ready     bool            `json:"ready"`     // its start is complete
	Clusters  []ClusterStatus `json:"clusters"`  // the control plane first
	Processes []ProcessStatus `json:"processes"` // in the order of their start
}

// ClusterStatus is the state of one cluster.
type ClusterStatus struct {
	Name       string `json:"name"`
	URL        string `json:"url,omitempty"`
	Kubeconfig string `json:"kubeconfig"`
	Nodes      int    `json:"nodes"`
	ReadyNodes int    `json:"readyNodes"`
	Error      string `json:"error,omitempty"` // why it cannot be asked
}

// ProcessStatus is one component of a fleet.
type ProcessStatus struct {
	Name  string `json:"name"`
	PID   int    `json:"pid"`
	Log   string `json:"log"`
	Ended string `json:"ended,omitempty"` // how it ended, if it did
}

// Problems lists what is wrong, a line each; empty means a healthy fleet.
func (s *Status) Problems() []string {
	var problems []string
	if !s.Ready {
		problems = append(problems, "the fleet is starting")
	}
	for _, p := range s.Processes {
		if p.Ended != "" {
			problems = append(problems, fmt.Sprintf("%s ended: %s; see %s", p.Name, p.Ended, p.Log))
		}
	}
	for _, c := range s.Clusters {
		switch {
		case !s.Ready: // may be on its way
		case c.Error != "":
			problems = append(problems, fmt.Sprintf("%s: %s", c.Name, c.Error))
		case c.ReadyNodes < c.Nodes:
			problems = append(problems, fmt.Sprintf("%s: %d of %d nodes are ready", c.Name, c.ReadyNodes, c.Nodes))
		}
	}
	return problems
}

// Inspect returns the state of the fleet in dir, and of each of its clusters. It
// returns ErrNotRunning when there is none.
func Inspect(ctx context.Context, dir string) (*Status, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	place := folder{path: dir}
	pid, err := lockHolder(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("inspect fleet: %w", err)
	}
	if pid == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNotRunning)
	}
	s, err := readState(place)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("inspect fleet: %w", err)
	}
	status := &Status{Dir: dir, PID: pid, Began: s.Began, Ready: s.Ready, Clusters: s.Clusters, Processes: s.Processes}
	var group sync.WaitGroup
	for i := range status.Clusters {
		group.Go(func() { status.Clusters[i].probe(ctx) })
	}
	group.Wait()
	return status, nil
}

// probe fills in what the cluster itself reports.
func (c *ClusterStatus) probe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		c.Error = err.Error()
		return
	}
	c.URL = config.Host
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		c.Error = err.Error()
		return
	}
	if err := client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		c.Error = err.Error()
		return
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		c.Error = err.Error()
		return
	}
	c.Nodes, c.ReadyNodes = len(nodes.Items), countReady(nodes.Items)
}
