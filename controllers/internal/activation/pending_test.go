// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// announced returns an activator of an engine in which the customization c of the health
// of Deployments is pending.
func announced(t *testing.T, changes *rulechange.Changes) (*Activator, *engine.Interpreter, engine.RuleSet, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	observer, err := NewObserver(registry)
	if err != nil {
		t.Fatal(err)
	}
	i := engine.NewInterpreter(engine.Options{Observe: observer.Observe, ProgramMemory: 100})
	a := New(i, observer, changes)
	cr := &configv1alpha1.ResourceInterpreterCustomization{}
	cr.Name = "c"
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = deployments.ToAPIVersionAndKind()
	cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{LuaScript: "x"}
	pending := engine.Pending(cr)
	if err := a.Announce(engine.Customizations, pending); err != nil {
		t.Fatal(err)
	}
	return a, i, pending, registry
}

// ask asks for the health of a Deployment, and returns the code of the error.
func ask(t *testing.T, i *engine.Interpreter) script.Code {
	t.Helper()
	_, err := i.Snapshot().Health(fixture.Object(deployments, "ns", "o", nil))
	var failure *script.Error
	if !errors.As(err, &failure) {
		t.Errorf("got error %v; want one of a script", err)
		return ""
	}
	return failure.Code
}

func TestAPendingAnswerIsNoFailure(t *testing.T) {
	a, i, pending, registry := announced(t, nil)
	if code := ask(t, i); code != script.Pending {
		t.Errorf("got code %s; want Pending", code)
	}
	if err := a.Failure("c"); err != nil {
		t.Errorf("got failure %v; want none", err)
	}
	serves(t, registry, "pending_total", "Deployment.apps customization InterpretHealth 1")
	serves(t, registry, "evaluations_total", "Deployment.apps customization InterpretHealth 0")
	serves(t, registry, "errors_total")
	serves(t, registry, "active_revision")
	a.Remove(engine.Customizations, pending)
	serves(t, registry, "pending_total")
	serves(t, registry, "sources_total") // it was never active
}

func TestAPendingRuleSetIsReplaced(t *testing.T) {
	changes, notified := &rulechange.Changes{}, []string{}
	changes.Listen(func(kind schema.GroupVersionKind, _ []engine.Op) { notified = append(notified, kind.Kind) })
	a, i, pending, registry := announced(t, changes)
	if len(notified) > 0 {
		t.Errorf("notified of %v before there is an answer", notified)
	}
	replace(t, a, engine.Customizations, pending, sourceFor(&failing{size: 60}), "1")
	if code := ask(t, i); code != script.User {
		t.Errorf("got code %s; want that of the script", code)
	}
	if diff := cmp.Diff([]string{"Deployment"}, notified); diff != "" {
		t.Errorf("what met the pending rules is asked again (-want +got):\n%s", diff)
	}
	if a.Failure("c") == nil {
		t.Error("the failure of the script is not recorded")
	}
	serves(t, registry, "active_revision", "customization c 1 1")
	serves(t, registry, "program_bytes", "60")
	serves(t, registry, "program_bytes_limit", "100")
	serves(t, registry, "waiting_sources", "0")
}

// failing is a program whose runs fail.
type failing struct{ size int64 }

func (*failing) Run(*script.Call, script.Decoder) (script.Usage, error) {
	return script.Usage{}, script.Errorf(script.User, "failed")
}

func (f *failing) Size() int64 { return f.size }

// sourceFor returns the rule set c with a rule for the health of Deployments.
func sourceFor(p script.Program) engine.RuleSet {
	return healthy(&engine.Rule{Program: p, Customization: "c"})
}

func TestOnRoomIsCalledAfterEachChange(t *testing.T) {
	a, _, pending, _ := announced(t, nil)
	var used []int64
	a.OnRoom(func() {
		n, _ := a.ProgramMemory()
		used = append(used, n)
	})
	one := sourceFor(&failing{size: 60})
	replace(t, a, engine.Customizations, pending, one, "1")
	if err := a.Replace(engine.Customizations, one, sourceFor(&failing{size: 101}), "2"); err == nil {
		t.Error("what is larger than the bound fits")
	}
	a.Remove(engine.Customizations, one)
	if diff := cmp.Diff([]int64{60, 0}, used); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSubmitAndDrop(t *testing.T) {
	a, _, _, registry := announced(t, nil)
	begun, end := make(chan string), make(chan struct{})
	a.Submit("slow", 0, func() { begun <- "slow"; <-end })
	<-begun
	a.Submit("dropped", 0, func() { begun <- "dropped" })
	a.Submit("waits", 0, func() { begun <- "waits" })
	serves(t, registry, "waiting_sources", "2")
	a.Drop("dropped")
	serves(t, registry, "waiting_sources", "1")
	close(end)
	if got := <-begun; got != "waits" {
		t.Errorf("got %s; want waits", got)
	}
}

func TestLabelsAreShort(t *testing.T) {
	long := strings.Repeat("é", 200_000)
	other := long + "x"
	for text, want := range map[string]string{
		"": "", "Deployment.apps": "Deployment.apps", "a\xffb": "a?b",
		strings.Repeat("a", 317): strings.Repeat("a", 317),
	} {
		if got := label(text); got != want {
			t.Errorf("label(%q) = %q; want %q", text, got, want)
		}
	}
	for _, text := range []string{long, other, strings.Repeat("\xff", 400_000), strings.Repeat("a", 318)} {
		if got := label(text); len(got) > maxLabel || !utf8.ValidString(got) {
			t.Errorf("a label has %d bytes, valid: %t; want at most %d", len(got), utf8.ValidString(got), maxLabel)
		}
	}
	if label(long) == label(other) {
		t.Error("two long texts are one label")
	}
}

// What a bundle calls itself, and the kinds that it names, come from a file.
func TestMetricsBoundTheLengthOfLabels(t *testing.T) {
	m, registry := served(t)
	rule, name := &engine.Rule{}, strings.Repeat("n", 400_000)
	kind := schema.GroupVersionKind{Version: "v1", Kind: strings.Repeat("K", 400_000)}
	source := engine.RuleSet{Name: name, Kinds: map[schema.GroupVersionKind]engine.Rules{kind: {engine.InterpretHealth: rule}}}
	activate(m, engine.Installed, source, "h")
	m.observe(engine.Run{Operation: engine.InterpretHealth, Kind: kind, Rule: rule, Err: errors.New("broken")})
	serves(t, registry, "errors_total", "Invalid "+label(kind.Kind)+" installed InterpretHealth 1")
	serves(t, registry, "active_revision", "installed "+label(name)+" h 1")
	m.removed(engine.Installed, name)
	serves(t, registry, "errors_total")
	serves(t, registry, "evaluations_total")
	serves(t, registry, "active_revision")
}
