// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"slices"
	"strings"
)

// phases are the values of a phase, by what they say of an object.
type phases struct{ healthy, failed []string }

// Values that a phase has in many APIs, in lower case.
var (
	healthyPhases = []string{"active", "available", "bound", "complete", "completed", "deployed", "done", "finished", "healthy", "ready", "running", "serving", "stable", "succeeded", "success", "up"}
	failedPhases  = []string{"aborted", "broken", "crashed", "degraded", "down", "error", "failed", "failure", "invalid", "lost", "unavailable", "unhealthy"}
)

// usualPhases are the values of a phase that names none.
var usualPhases = phases{healthy: []string{"Ready", "Running", "Succeeded"}, failed: []string{"Error", "Failed"}}

// phasesOf divides the values of a phase. Those that are in neither list are under way.
func phasesOf(choices []string) phases {
	var p phases
	for _, c := range choices {
		switch lower := strings.ToLower(c); {
		case slices.Contains(healthyPhases, lower):
			p.healthy = append(p.healthy, c)
		case slices.Contains(failedPhases, lower):
			p.failed = append(p.failed, c)
		}
	}
	if len(p.healthy) == 0 {
		return usualPhases
	}
	return p
}

// readyConditions are the types of conditions that say that an object does its work, the
// strongest first.
var readyConditions = []string{"Ready", "Available", "Healthy", "Running"}

// readyCounts are fields of a status that count what is ready, the strongest first.
var readyCounts = []string{"availableReplicas", "readyReplicas", "readyInstances", "readyNodes", "ready"}

// generations are numbers of a status that are not added up.
func isCount(name string) bool {
	lower := strings.ToLower(name)
	for _, part := range []string{"generation", "revision", "version", "time", "seconds", "percent", "port", "id", "collisioncount"} {
		if strings.HasSuffix(lower, part) {
			return false
		}
	}
	return true
}

// readStatus adds what a status has.
func (t *traits) readStatus(status *shape, conditions []string) {
	t.hasStatus = status != nil
	t.fields = status.names()
	for _, name := range t.fields {
		t.readField(name, status.fields[name])
	}
	for _, name := range readyCounts {
		if t.replicas != nil && t.ready == "" && slices.Contains(t.counts, name) {
			t.ready = name
		}
	}
	for _, name := range []string{"phase", "state"} {
		if t.phase == "" && slices.Contains(t.texts, name) {
			t.phase, t.phases = name, phasesOf(status.fields[name].choices)
		}
	}
	t.seen = len(conditions) > 0
	t.job = t.job && t.conditions
	t.condition = readyCondition(t.conditions, conditions)
}

// readField adds a field of a status.
func (t *traits) readField(name string, field *shape) {
	switch {
	case name == "completionTime":
		t.job = true
		t.texts = append(t.texts, name)
	case name == "observedGeneration":
		t.observed = true
	case name == "conditions" && field.is(listType):
		t.conditions = true
	case field.is(integerType) && isCount(name):
		t.counts = append(t.counts, name)
	case field.is(stringType):
		t.texts = append(t.texts, name)
	}
}

// readyCondition returns the type of the condition that is asked for; "" where the kind has no
// conditions, or the object others.
func readyCondition(has bool, seen []string) string {
	if !has {
		return ""
	}
	for _, name := range readyConditions {
		if slices.Contains(seen, name) {
			return name
		}
	}
	if len(seen) > 0 {
		return ""
	}
	return readyConditions[0]
}
