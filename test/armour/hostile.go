// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// quiet is the phase without an attack, which the others are compared with.
const quiet = "nothing hostile"

// phase is what somebody does to a control plane, and what others may not see of it. All
// but the name may be missing.
type phase struct {
	name string
	// attack is what is there before the innocent templates are created. With restart the
	// manager is stopped after it, and started again, stopped in between.
	attack, stopped func(ctx context.Context, s *site) error
	restart         bool
	// beside runs while the innocent templates are created, until ctx is done.
	beside func(ctx context.Context, s *site, m *manager) error
	// check returns what went wrong beyond the time that others had to wait.
	check func(ctx context.Context, s *site) error
}

func phases() []phase {
	return slices.Concat([]phase{{name: quiet}}, scriptPhases(), tenantPhases(), operatorPhases())
}

// scriptPhases attack the engine.
func scriptPhases() []phase {
	return []phase{
		{name: "an object of 396 KB, and a Retain of one line", attack: retained},
		{name: "seven quantities", attack: quantities},
		{name: "18 KB of CEL", attack: checked},
		{name: "18 KB of CEL, at the start", attack: checked, restart: true},
		{name: "45 customizations of 656 KB", attack: kept},
		{name: "45 customizations of 656 KB, at the start", attack: kept, restart: true},
		{name: "60 customizations that compile", attack: func(ctx context.Context, s *site) error { return s.keep(ctx, 60, 5_000) }},
		{name: "60 customizations that compile, at the start", attack: func(ctx context.Context, s *site) error { return s.keep(ctx, 60, 5_000) }, restart: true},
		{name: "all at once", attack: func(ctx context.Context, s *site) error {
			for _, attack := range []func(context.Context, *site) error{retained, quantities, checked, kept} {
				if err := attack(ctx, s); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// customization returns one with scripts by their fields.
func customization(name, apiVersion, kind string, scripts map[string]any) map[string]any {
	o := named("config.karmada.io/v1alpha1", "ResourceInterpreterCustomization", "", name, nil)
	o["spec"] = map[string]any{"target": map[string]any{"apiVersion": apiVersion, "kind": kind}, "customizations": scripts}
	return o
}

// retained is a harmless script, and an object with one long key above 20,000 empty maps.
// It changes a few times, so that it is applied again.
func retained(ctx context.Context, s *site) error {
	err := create(ctx, s.hub, customizations, customization(s.unique("retain"), "attack.example/v1", "Victim", map[string]any{
		"retention": map[string]any{"luaScript": "function Retain(desiredObj, observedObj) return desiredObj end"},
	}))
	if err != nil {
		return err
	}
	empties := map[string]any{}
	for i := range 20_000 {
		empties[fmt.Sprintf("%x", i)] = map[string]any{}
	}
	for i := range 3 {
		spec := map[string]any{"n": int64(i), "x": map[string]any{strings.Repeat("k", 200_000): empties}}
		if err := create(ctx, s.hub, victims, named("attack.example/v1", "Victim", hostile, s.unique(fmt.Sprint("large", i)), map[string]any{"spec": spec})); err != nil {
			return err
		}
	}
	return nil
}

// quantities are seven small objects of a shipped kind.
func quantities(ctx context.Context, s *site) error {
	for i := range 7 {
		spec := map[string]any{
			"jobManager":  map[string]any{"resource": map[string]any{"cpu": "0.1e-999999999", "memory": "1g"}},
			"taskManager": map[string]any{"resource": map[string]any{"cpu": "0.1e-999999999", "memory": "1g"}},
			"job":         map[string]any{"parallelism": int64(2)},
		}
		if err := create(ctx, s.hub, flinks, named("flink.apache.org/v1beta1", "FlinkDeployment", hostile, s.unique(fmt.Sprint("cpu", i)), map[string]any{"spec": spec})); err != nil {
			return err
		}
	}
	return nil
}

// checked is an expression that takes a type checker minutes.
func checked(ctx context.Context, s *site) error {
	return create(ctx, s.hub, customizations, customization(s.unique("bomb"), "attack.example/v1", "Bomb", map[string]any{
		"healthInterpretation": map[string]any{"celExpression": "[" + strings.Repeat("[]+[],", 3_000) + "1] == []"},
	}))
}

// kept are customizations of the largest size, of whose scripts much is kept in memory.
func kept(ctx context.Context, s *site) error { return s.keep(ctx, 45, 10_880) }

// keep creates customizations of ten scripts of a size each.
func (s *site) keep(ctx context.Context, n, size int) error {
	fields := map[string]string{
		"retention": "Retain", "replicaResource": "GetReplicas", "componentResource": "GetComponents", "replicaRevision": "ReviseReplica", "statusReflection": "ReflectStatus",
		"statusAggregation": "AggregateStatus", "healthInterpretation": "InterpretHealth", "dependencyInterpretation": "GetDependencies", "stateInterpretation": "GetState", "stateRestoration": "RestoreState",
	}
	for i := range n {
		scripts := map[string]any{}
		for field, entry := range fields {
			body := strings.Repeat("a{a{}}", size)
			scripts[field] = map[string]any{"luaScript": fmt.Sprintf("function %s(o) if o.x == %d then %s end return o end", entry, i, body)}
		}
		if err := create(ctx, s.hub, customizations, customization(s.unique(fmt.Sprint("kept", i)), "attack.example/v1", fmt.Sprintf("Kept%d", i), scripts)); err != nil {
			return err
		}
	}
	return nil
}

// unique returns a name of this phase.
func (s *site) unique(name string) string { return fmt.Sprintf("%s-%d", name, s.round) }

func lower(s string) string { return strings.ToLower(s) }
