// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// reading is the state of all counters at one time.
type reading struct {
	at time.Time
	// toHub and toMembers are the manager's requests by method; atHub are all requests to
	// the control plane by verb and resource, also those of this program; reconciles are
	// by controller.
	toHub, toMembers, atHub, reconciles map[string]float64
	// waiting is the length of all queues.
	waiting float64
	usage   usage
}

// read reads all counters.
func (s *site) read(ctx context.Context) (reading, error) {
	r := reading{at: time.Now()}
	own, err := s.manager.metrics(ctx)
	if err != nil {
		return r, err
	}
	text, err := s.kube.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return r, err
	}
	hub, err := parse(bytes.NewReader(text))
	if err != nil {
		return r, err
	}
	method := func(host func(string) bool) func(map[string]string) string {
		return func(l map[string]string) string {
			if !host(l["host"]) {
				return ""
			}
			return l["method"]
		}
	}
	isHub := func(host string) bool { return host == strings.TrimPrefix(s.fleet.ControlPlane.URL, "https://") }
	r.toHub = own.sum("rest_client_requests_total", method(isHub))
	r.toMembers = own.sum("rest_client_requests_total", method(func(host string) bool { return !isHub(host) }))
	r.reconciles = own.sum("controller_runtime_reconcile_total", func(l map[string]string) string { return l["controller"] + " " + l["result"] })
	for _, n := range own.sum("workqueue_depth", func(map[string]string) string { return "all" }) {
		r.waiting = n
	}
	r.atHub = hub.sum("apiserver_request_total", requestKey)
	r.usage, err = s.manager.usage()
	return r, err
}

// requestKey names a request by what it does to what, such as "PATCH works/status".
func requestKey(l map[string]string) string {
	resource := l["resource"]
	if l["subresource"] != "" {
		resource += "/" + l["subresource"]
	}
	if resource == "" {
		return ""
	}
	return l["verb"] + " " + resource
}

// difference prints what was added between two readings, in all and for each of n objects.
func difference(before, after reading, n int) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush() //nolint:errcheck // standard output
	line := func(title string, added map[string]float64) {
		total := 0.0
		for _, k := range added {
			total += k
		}
		fmt.Fprintf(out, "  %s\t%.0f\t%.2f each\t%s\n", title, total, total/float64(max(1, n)), list(added))
	}
	line("manager to the hub", since(before.toHub, after.toHub))
	line("manager to members", since(before.toMembers, after.toMembers))
	line("writes at the hub, also of this program", writes(since(before.atHub, after.atHub)))
	line("reads at the hub", reads(since(before.atHub, after.atHub)))
	line("reconciles", since(before.reconciles, after.reconciles))
	fmt.Fprintf(out, "  manager\tCPU %s\t%.1f %% of a core\tmemory %d MiB, at most %d MiB\n", (after.usage.cpu - before.usage.cpu).Round(10*time.Millisecond),
		100*(after.usage.cpu-before.usage.cpu).Seconds()/after.at.Sub(before.at).Seconds(), after.usage.resident>>20, after.usage.most>>20)
}

// isRead reports whether a request named by requestKey changes nothing.
func isRead(key string) bool {
	switch verb, _, _ := strings.Cut(key, " "); verb {
	case "GET", "LIST", "WATCH", "WATCHLIST", "CONNECT":
		return true
	}
	return false
}

func writes(requests map[string]float64) map[string]float64 {
	kept := maps.Clone(requests)
	maps.DeleteFunc(kept, func(key string, _ float64) bool { return isRead(key) })
	return kept
}

func reads(requests map[string]float64) map[string]float64 {
	kept := maps.Clone(requests)
	maps.DeleteFunc(kept, func(key string, _ float64) bool { return !isRead(key) })
	return kept
}

// list prints counts, the largest first, up to ten.
func list(counts map[string]float64) string {
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, k := range keys {
		if i == 10 {
			parts = append(parts, fmt.Sprintf("and %d more", len(keys)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %.0f", k, counts[k]))
	}
	return strings.Join(parts, ", ")
}
