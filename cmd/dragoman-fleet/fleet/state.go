// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// stateName is the file in which a fleet records what it consists of.
const stateName = "state.json"

func (f folder) state() string { return filepath.Join(f.path, stateName) }

// state is what another process may know of a fleet.
type state struct {
	PID       int             `json:"pid"` // of the process that holds the fleet
	Began     time.Time       `json:"began"`
	Ready     bool            `json:"ready"` // false while it starts
	Clusters  []ClusterStatus `json:"clusters"`
	Processes []ProcessStatus `json:"processes"`
}

// saveState writes state.json again, unless the fleet is being removed. The
// caller holds f.mu.
func (f *Fleet) saveState() error {
	if f.phase == ending {
		return nil
	}
	s := state{PID: os.Getpid(), Began: f.began, Ready: f.phase == running}
	for _, c := range f.clusters() {
		s.Clusters = append(s.Clusters, ClusterStatus{Name: c.Name, Kubeconfig: c.Kubeconfig})
	}
	for _, p := range f.processes {
		s.Processes = append(s.Processes, p.status())
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	fresh := f.dir.state() + ".new"
	if err := os.WriteFile(fresh, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("save state: %w", err)
	}
	return os.Rename(fresh, f.dir.state())
}

func (f *Fleet) clusters() []*Cluster {
	return slices.Concat([]*Cluster{f.ControlPlane}, f.Members)
}

func (p *process) status() ProcessStatus {
	s := ProcessStatus{Name: p.name, PID: p.cmd.Process.Pid, Log: p.logFile}
	if !p.isRunning() {
		s.Ended = p.cmd.ProcessState.String()
	}
	return s
}

// readState reads the recorded state of the fleet in the folder; os.ErrNotExist means
// that it has only begun to start.
func readState(dir folder) (state, error) {
	var s state
	data, err := os.ReadFile(dir.state())
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read %s: %w", dir.state(), err)
	}
	return s, nil
}

// notExist turns "no such file" into nil.
func notExist(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
