// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
)

// figure is one line: a benchmark, the one in Go that it is compared with, if any, and
// what it aims at.
type figure struct {
	name, bench, inGo string
	// less is a benchmark whose time is taken off: what is left is the cost of what the
	// one does beyond the other.
	less string
	// ns, ratio and allocs are upper bounds; ratio 0 is none.
	ns, ratio float64
	allocs    uint64
}

// figures are those that the project set itself.
var figures = []figure{
	{name: "FlinkDeployment InterpretHealth", bench: "Scripts/flink_health", inGo: "ScriptsInGo/flink_health", ns: 350, ratio: 12},
	{name: "FlinkDeployment GetComponents", bench: "Scripts/flink_components", inGo: "ScriptsInGo/flink_components", ns: 5000, ratio: 3, allocs: 20},
	{name: "FlinkDeployment GetComponents, through a snapshot", bench: "Snapshot/flink_components", ns: 6000, allocs: 25},
	{name: "FlinkDeployment AggregateStatus, 3 clusters", bench: "Scripts/flink_aggregate", inGo: "ScriptsInGo/flink_aggregate", ns: 3500, allocs: 6},
	{name: "Deployment InterpretHealth", bench: "Scripts/deployment_health", ns: 400},
	{name: "Deployment GetReplicas", bench: "Scripts/deployment_replicas", ns: 5000, allocs: 26},
	{name: "Deployment Retain, nothing to change", bench: "Scripts/deployment_retain", ns: 400},
	{name: "FlinkDeployment Retain, nothing to change", bench: "Scripts/flink_retain", ns: 400},
	{name: "CEL InterpretHealth, has() style", bench: "Run/flink_health,_has", ns: 800, allocs: 4},
	{name: "dispatch by the engine, health", bench: "Dispatch/health/lua/engine", less: "Dispatch/health/lua/program", ns: 150},
	{name: "dispatch by the engine, retain", bench: "Dispatch/retain/lua/engine", less: "Dispatch/retain/lua/program", ns: 150},
	{name: "reload of 1 among 10 customizations", bench: "Reload/changed/10", ns: 1e6, allocs: anyAllocs},
	{name: "reload of 1 among 1,000 customizations", bench: "Reload/changed/1000", ns: 1e6, allocs: anyAllocs},
	{name: "reload of 1 among 10,000 customizations", bench: "Reload/changed/10000", ns: 1e6, allocs: anyAllocs},
}

// anyAllocs bounds nothing.
const anyAllocs = 1 << 62

// parallel are the benchmarks that run on one processor and on two: a script, and the same
// work by hand in Go, which shows what two processors of this machine are worth.
var parallel = []string{"ParallelHealth", "ParallelHealthInGo"}

// benchmarks returns the names of those that the figures are made of, each once.
func benchmarks() []string {
	var names []string
	for _, f := range figures {
		for _, name := range []string{f.bench, f.inGo, f.less} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (f figure) line(all results) (string, error) {
	b, err := all.get(f.bench)
	if err != nil {
		return "", err
	}
	ns, allocs, ratio := b.ns, b.allocs, "-"
	if f.less != "" {
		without, err := all.get(f.less)
		if err != nil {
			return "", err
		}
		ns, allocs = ns-without.ns, allocs-without.allocs
	}
	if f.inGo != "" {
		inGo, err := all.get(f.inGo)
		if err != nil {
			return "", err
		}
		ratio = fmt.Sprintf("%.1f", b.ns/inGo.ns)
		if f.ratio > 0 && b.ns/inGo.ns > f.ratio {
			ratio += " missed"
		}
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t", f.name, bounded(ns, f.ns), bounded(float64(allocs), float64(f.allocs)), ratio, f.aim()), nil
}

// bounded writes a value, with a mark if it is over its bound.
func bounded(value, bound float64) string {
	if value > bound {
		return fmt.Sprintf("%.0f missed", value)
	}
	return fmt.Sprintf("%.0f", value)
}

// aim writes the bounds.
func (f figure) aim() string {
	s := fmt.Sprintf("%.0f ns", f.ns)
	if f.less != "" {
		s = "+" + s
	}
	if f.ratio > 0 {
		s += fmt.Sprintf(", %.0f x Go", f.ratio)
	}
	if f.allocs < anyAllocs {
		s += fmt.Sprintf(", %d allocs", f.allocs)
	}
	return s
}

// throughput compares two processors with one.
func throughput(all results) (string, error) {
	var gains []float64
	for _, name := range parallel {
		one, err := all.get(name)
		if err != nil {
			return "", err
		}
		two, err := all.get(name + "-2")
		if err != nil {
			return "", err
		}
		gains = append(gains, one.ns/two.ns)
	}
	value := fmt.Sprintf("%.2f times", gains[0])
	if gains[0] < 1.8 {
		value += " missed"
	}
	return fmt.Sprintf("throughput of two cores, health\t%s\t\t%.2f times in Go\t1.8 times\t", value, gains[1]), nil
}
