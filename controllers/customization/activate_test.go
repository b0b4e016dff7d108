// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"errors"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

// refusing is an engine that refuses each source.
type refusing struct{ Rules }

func (refusing) Set(engine.Layer, engine.RuleSet) error { return errors.New("refused") }

// What the engine refuses does not count, and what was active before does.
func TestReplaceThatTheEngineRefuses(t *testing.T) {
	m, registry := newMetrics(t)
	c := &Controller{Rules: engine.NewInterpreter(engine.Options{}), Failures: &Failures{}, Metrics: m}
	first, second := &engine.Rule{Customization: "c"}, &engine.Rule{Customization: "c"}
	if err := c.replace(outcome{}, healthy(first), "h1"); err != nil {
		t.Fatal(err)
	}
	c.Rules = refusing{}
	if err := c.replace(outcome{active: 1, hash: "h1", source: healthy(first)}, healthy(second), "h2"); err == nil {
		t.Error("got no error; want that of the engine")
	}
	serves(t, registry, "active_revision", "customization c h1 1")
	m.Observe(ran(first, 1, nil))
	m.Observe(ran(second, 1, nil))
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 1")
	failed := errors.New("broken")
	c.Failures.Observe(ran(second, 1, failed))
	if err := c.Failures.of("c"); err != nil {
		t.Errorf("got failure %v of rules that never answered", err)
	}
	c.Failures.Observe(ran(first, 1, failed))
	if err := c.Failures.of("c"); !errors.Is(err, failed) {
		t.Errorf("got failure %v; want that of the active rules", err)
	}
}

func TestReplaceOfNothingThatTheEngineRefuses(t *testing.T) {
	m, registry := newMetrics(t)
	c := &Controller{Rules: refusing{}, Failures: &Failures{}, Metrics: m}
	if err := c.replace(outcome{}, healthy(&engine.Rule{Customization: "c"}), "h1"); err == nil {
		t.Error("got no error; want that of the engine")
	}
	serves(t, registry, "active_revision")
	if len(c.Failures.all) != 0 {
		t.Error("the failures of a source that never answered are kept")
	}
}
