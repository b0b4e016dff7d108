// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"slices"
	"strings"
)

// phasesModule is the module with the values of a phase, which two scripts read.
const phasesModule = "lib.phases"

// scripts returns the scripts of a kind by the names of their operations' files, such as
// health. module is the name of the kind's module of phases.
func (t *traits) scripts(module string) map[string]string {
	all := map[string]string{}
	for name, write := range map[string]func(*lines, string) bool{
		"health": t.health, "status": t.status, "aggregate": t.aggregate, "replicas": t.replicasScript, "revise": t.revise,
		"retain": t.retain, "finished": t.finished, "components": t.components, "dependencies": t.dependencies,
	} {
		var l lines
		if write(&l, module) {
			all[name] = l.String()
		}
	}
	return all
}

// draft is the last sentence of the comment of each script.
const draft = "Drafted by dragoman init: keep what is right."

// source is what health is read from.
type source int

const (
	byNothing source = iota
	byCondition
	byCount
	byPhase
	byOutcome
)

// healthSource chooses what health is read from: the outcome of what ends, a phase with known
// values, a condition that an object shows, counts, and last what is only usual.
func (t *traits) healthSource() source {
	switch {
	case t.job:
		return byOutcome
	case t.phase != "" && !slices.Equal(t.phases.healthy, usualPhases.healthy):
		return byPhase
	case t.condition != "" && t.seen:
		return byCondition
	case t.ready != "":
		return byCount
	case t.condition != "":
		return byCondition
	case t.phase != "":
		return byPhase
	}
	return byNothing
}

func (t *traits) health(l *lines, module string) bool {
	from := t.healthSource()
	if from == byNothing {
		return false
	}
	if from == byPhase {
		l.add(0, "local phases = require(%s)\n", quoted(module))
	}
	l.comment(0, "True is healthy, false unhealthy, and nil is not known yet. An unhealthy object moves to another "+
		"cluster where its policy says so, so false is for what does not recover by itself. %s", draft)
	l.add(0, "function InterpretHealth(object)")
	if t.suspend {
		l.add(1, "if kube.get(object, \"spec.suspend\") == true then\n  return true\nend")
	}
	l.add(1, "if not object.status then\n  return nil\nend")
	if t.observed {
		l.comment(1, "The status is about an older object.")
		l.add(1, "if kube.get(object, \"status.observedGeneration\", 0) < kube.get(object, \"metadata.generation\", 0) then\n  return nil\nend")
	}
	switch from {
	case byCondition:
		l.add(1, "local condition = kube.condition(object, %s)", quoted(t.condition))
		l.add(1, "if not condition or condition.status == \"Unknown\" then\n  return nil\nend")
		l.add(1, "return condition.status == \"True\"")
	case byCount:
		l.add(1, "return kube.get(object, %s, 0) >= kube.get(object, %s, 1)", pathLiteral([]string{"status", t.ready}), pathLiteral(t.replicas))
	case byPhase:
		l.add(1, "local phase = kube.get(object, %s)", pathLiteral([]string{"status", t.phase}))
		l.add(1, "if phases.healthy[phase] then\n  return true\nend")
		l.add(1, "if phases.failed[phase] then\n  return false\nend")
		l.comment(1, "Everything else is under way.")
		l.add(1, "return nil")
	case byOutcome:
		l.add(1, "return not kube.conditionTrue(object, \"Failed\")")
	}
	l.add(0, "end")
	return true
}

func (t *traits) finished(l *lines, _ string) bool {
	if !t.job {
		return false
	}
	l.comment(0, "Whether the object has ended, however: its controller does nothing more with it. %s", draft)
	l.add(0, "function IsFinished(object)")
	l.add(1, "for _, outcome in ipairs({ \"Complete\", \"Succeeded\", \"Failed\" }) do\n  if kube.conditionTrue(object, outcome) then\n    return true\n  end\nend\nreturn false")
	l.add(0, "end")
	return true
}

func (t *traits) status(l *lines, _ string) bool {
	if !t.hasStatus {
		return false
	}
	l.comment(0, "What a cluster reports to the control plane: leave out what changes often and nobody reads there. %s", draft)
	l.add(0, "function ReflectStatus(object)")
	if len(t.fields) == 0 {
		l.add(1, "return kube.reflectStatus(object)")
	} else {
		l.add(1, "return kube.reflectStatus(object, %s)", table(0, t.fields, fieldLiteral))
	}
	l.add(0, "end")
	return true
}

// others are the texts of a status other than its phase.
func (t *traits) others() []string {
	return slices.DeleteFunc(slices.Clone(t.texts), func(name string) bool { return name == t.phase })
}

// left are the fields of a status that no rule of the draft aggregates.
func (t *traits) left() []string {
	return slices.DeleteFunc(slices.Clone(t.fields), func(name string) bool {
		return slices.Contains(t.counts, name) || slices.Contains(t.texts, name) || name == "observedGeneration" || name == "conditions"
	})
}

func (t *traits) aggregate(l *lines, module string) bool {
	if !t.hasStatus || len(t.fields) == 0 {
		return false
	}
	if t.phase != "" {
		l.add(0, "local phases = require(%s)\n", quoted(module))
		t.worstPhase(l)
	}
	same := t.others()
	if len(same) > 0 {
		l.comment(0, "What all clusters report; nil where they differ.")
		l.add(0, "local function same(reports, field)\n  local value = reports[1].status[field]\n  for _, item in ipairs(reports) do")
		l.add(2, "if item.status[field] ~= value then\n  return nil\nend")
		l.add(0, "  end\n  return value\nend\n")
	}
	l.comment(0, "One status of those of all clusters: counts are added up, and what cannot be is taken where it says most. %s", draft)
	if left := t.left(); len(left) > 0 {
		l.comment(0, "Left out, since no rule fits every kind: %s.", strings.Join(left, ", "))
	}
	l.add(0, "function AggregateStatus(object, items)")
	l.add(1, "local reports = kube.reported(items)\nif #reports == 0 then\n  return object\nend")
	if len(t.counts) > 0 {
		l.add(1, "local status = kube.sumStatus(items, %s)", table(0, t.counts, fieldLiteral))
	} else {
		l.add(1, "local status = {}")
	}
	if t.phase != "" {
		l.add(1, "status%s = worstPhase(reports)", member(t.phase))
	}
	if len(same) > 0 {
		l.add(1, "for _, field in ipairs(%s) do\n  status[field] = same(reports, field)\nend", table(0, same, quoted))
	}
	if t.conditions {
		l.add(1, "status.conditions = kube.orNil(kube.worstConditions(items))")
	}
	if t.observed {
		l.add(1, "status.observedGeneration = kube.observedGeneration(object, items)")
	}
	l.add(1, "object.status = status\nreturn object")
	l.add(0, "end")
	return true
}

func (t *traits) worstPhase(l *lines) {
	l.comment(0, "Failed is worse than under way, and that than healthy.")
	l.add(0, "local function rank(phase)\n  return phases.failed[phase] and 3 or phases.healthy[phase] and 1 or 2\nend\n")
	access := member(t.phase)
	l.add(0, "local function worstPhase(reports)\n  local worst = reports[1].status%s\n  for _, item in ipairs(reports) do", access)
	l.add(2, "if rank(item.status%s) > rank(worst) then\n  worst = item.status%s\nend", access, access)
	l.add(0, "  end\n  return worst\nend\n")
}

// phasesText is the module with the values of a phase.
func (t *traits) phasesText() string {
	var l lines
	l.comment(0, "The values of status.%s, by what they say; all others are under way. %s", t.phase, draft)
	isTrue := func(name string) string { return field(name) + " = true" }
	l.add(0, "return {")
	l.add(1, "healthy = %s,\nfailed = %s,", table(0, t.phases.healthy, isTrue), table(0, t.phases.failed, isTrue))
	l.add(0, "}")
	return l.String()
}
