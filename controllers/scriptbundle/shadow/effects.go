// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"fmt"
	"reflect"
	"strings"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/compare"
)

// subject is a template, or its copy in a cluster.
type subject struct{ name, cluster string }

func (s subject) String() string {
	if s.cluster == "" {
		return s.name
	}
	return s.name + " @ " + s.cluster
}

// effects count what changed answers mean for workloads, by a text for each meaning.
type effects struct {
	order []string
	found map[string]*effect
}

// effect is a meaning, the number of workloads that it is true of, and the first of them.
type effect struct {
	count   int
	example string
}

// add counts a subject; the detail is what is special about it.
func (e *effects) add(text string, s subject, detail string) {
	if e.found == nil {
		e.found = map[string]*effect{}
	}
	f := e.found[text]
	if f == nil {
		f = &effect{example: s.String() + detail}
		e.found[text] = f
		e.order = append(e.order, text)
	}
	f.count++
}

// texts returns all, in the order in which they were first found.
func (e *effects) texts() []string {
	all := make([]string, 0, len(e.order))
	for _, text := range e.order {
		f := e.found[text]
		count := fmt.Sprintf("%d times, such as %s", f.count, f.example)
		if f.count == 1 {
			count = "once, " + f.example
		}
		all = append(all, text+": "+count)
	}
	return all
}

// note adds what the answers to one question mean.
func (e *effects) note(s subject, b workv1alpha2.Binding, q engine.Request, a compare.Answers) {
	switch {
	case a.What == "":
	case a.What == compare.NewError:
		if text := failures[q.Operation]; text != "" {
			e.add(text, s, "")
		}
	case q.Operation == engine.InterpretReplica:
		e.replicas(s, a)
	case q.Operation == engine.InterpretComponent:
		e.add("Their components or what these ask for change, so that they are placed by other numbers", s, "")
	case q.Operation == engine.InterpretHealth:
		e.health(s, b, a)
	case q.Operation == engine.InterpretState:
		e.add("Other state would be carried to the next cluster by a failover", s, "")
	case q.Operation == engine.RestoreState:
		e.add("A failover would write what is carried into them differently", s, "")
	case q.Operation == engine.InterpretDependency:
		e.add("Other objects go along to their clusters", s, "")
	case q.Operation == engine.Retain, q.Operation == engine.PruneTemplate, q.Operation == engine.ReviseReplica:
		e.add("Their copies are written in the clusters: "+string(q.Operation)+" answers differently", s, "")
	}
}

// failures are what a question means that fails.
var failures = map[engine.Op]string{
	engine.InterpretReplica:   "They are not placed any more, since InterpretReplica fails",
	engine.InterpretComponent: "They are not placed any more, since InterpretComponent fails",
	engine.ReviseReplica:      "Their replicas do not reach the clusters any more, since ReviseReplica fails",
	engine.Retain:             "Their copies are not updated any more, since Retain fails",
	engine.InterpretHealth:    "Their health is unknown, since InterpretHealth fails: they do not fail over",
	engine.AggregateStatus:    "Their status stays as it is, since AggregateStatus fails",
	engine.RestoreState:       "What a failover carries does not reach the next cluster, since RestoreState fails",
	engine.InterpretState:     "They do not fail over, since what must survive is not known: InterpretState fails",
}

// replicas keeps other numbers apart from other requirements.
func (e *effects) replicas(s subject, a compare.Answers) {
	if len(a.Before) < 2 || len(a.After) < 2 {
		e.add("Whether their replicas are divided changes", s, "")
		return
	}
	if a.Before[0] != a.After[0] {
		e.add("They are placed with another number of replicas", s, fmt.Sprintf(" (%v, was %v)", a.After[0], a.Before[0]))
	}
	if !reflect.DeepEqual(a.Before[1], a.After[1]) {
		e.add("Their replicas ask for other resources or nodes, by which clusters are chosen and quotas count", s, "")
	}
}

// health reports what becomes of a copy whose health changes.
func (e *effects) health(s subject, b workv1alpha2.Binding, a compare.Answers) {
	was, is := healthOf(a.Before), healthOf(a.After)
	detail := fmt.Sprintf(" (%s, was %s)", strings.ToLower(is), strings.ToLower(was))
	failsOver := b != nil && b.GetSpec().Failover != nil && b.GetSpec().Failover.Application != nil
	switch {
	case is == unhealthy && failsOver:
		e.add("They count as unhealthy, and their policy moves them to another cluster for that", s, detail)
	case is == unhealthy:
		e.add("They count as unhealthy; no policy moves them for that", s, detail)
	case was == unhealthy && failsOver:
		e.add("They do not count as unhealthy any more, and are not moved for that", s, detail)
	default:
		e.add("Their health is reported differently", s, detail)
	}
}

const unhealthy = "Unhealthy"

// healthOf names the health of an answer.
func healthOf(answer []any) string {
	if len(answer) == 0 {
		return "no answer"
	}
	switch answer[0] {
	case true:
		return "Healthy"
	case false:
		return unhealthy
	}
	return "Unknown"
}
