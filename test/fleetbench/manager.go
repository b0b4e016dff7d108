// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

// manager is a dragoman-manager that serves its metrics.
type manager struct {
	binary, kubeconfig, log string
	flags                   []string
	address                 string
	process                 *scenario.Manager
}

// start runs the binary and waits until it answers.
func (m *manager) start(ctx context.Context) error {
	port, err := fleet.FreePort()
	if err != nil {
		return err
	}
	m.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	args := append([]string{"--metrics-bind-address", m.address, "--cluster-success-threshold", "1ms"}, m.flags...)
	if m.process, err = scenario.StartManager(ctx, m.binary, m.kubeconfig, m.log, args...); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := m.metrics(ctx)
		return err == nil, nil
	})
}

func (m *manager) stop() { m.process.Stop() }

// metrics reads the manager's metrics.
func (m *manager) metrics(ctx context.Context) (samples, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.address+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the metrics answer %s", response.Status)
	}
	return parse(response.Body)
}

// usage is what the process took since its start.
type usage struct {
	cpu time.Duration
	// resident is what it has in memory now, most the most so far, in bytes.
	resident, most int64
}

// usage reads what the process took.
func (m *manager) usage() (usage, error) {
	u := usage{}
	dir := fmt.Sprintf("/proc/%d/", m.process.PID())
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, err
	}
	// The name of the process, in parentheses, may have spaces; the times of user and
	// system are the 12th and 13th field behind it, in hundredths of a second.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return u, err
		}
		u.cpu += time.Duration(n) * 10 * time.Millisecond
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return u, err
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		for key, to := range map[string]*int64{"VmRSS:": &u.resident, "VmHWM:": &u.most} {
			if len(fields) > 1 && fields[0] == key {
				n, err := strconv.ParseInt(fields[1], 10, 64)
				if err != nil {
					return u, err
				}
				*to = n << 10
			}
		}
	}
	return u, nil
}
