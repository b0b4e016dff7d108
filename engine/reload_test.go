// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
)

// revised returns a source whose every answer is its revision.
func revised(t *testing.T, c *Compiler, revision int) RuleSet {
	t.Helper()
	cr := customizationOf(configv1alpha1.CustomizationRules{
		ReplicaResource:     luaScript(fmt.Sprintf("function GetReplicas(o) return %d end", revision)),
		StateInterpretation: &configv1alpha1.Script{CELExpression: fmt.Sprintf("{'revision': %d}", revision)},
	})
	cr.Spec.Target = configv1alpha1.CustomizationTarget{APIVersion: siteKind.GroupVersion().String(), Kind: siteKind.Kind}
	source, errs := c.Customization(cr)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return source
}

// Eight goroutines ask while the rules are replaced a thousand times, and others come
// and go. No question fails, the two answers of one view are of one revision, and no
// answer is older than what was in place when it was asked for.
func TestReloadUnderLoad(t *testing.T) {
	const revisions = 1000
	c, i := newCompiler(t), NewInterpreter(Options{})
	set(i, Customizations, revised(t, c, 0))
	var (
		placed atomic.Int64
		done   atomic.Bool
		askers sync.WaitGroup
	)
	for range 8 {
		askers.Go(func() {
			for !done.Load() {
				least := placed.Load()
				view := i.Snapshot()
				replicas, err := view.Replicas(site(nil))
				state, err2 := view.State(site(nil))
				if err != nil || err2 != nil || state["revision"] != fmt.Sprint(replicas.Count) || int64(replicas.Count) < least {
					t.Errorf("got %d replicas and state %v, errors %v and %v; want one revision, at least %d", replicas.Count, state, err, err2, least)
					return
				}
				runtime.Gosched() // let the rules be replaced
			}
		})
	}
	other := RuleSet{Name: "other", Kinds: map[schema.GroupVersionKind]Rules{}}
	for k := range 10 {
		other.Kinds[numbered(k)] = Rules{InterpretReplica: counting(t, "1")}
	}
	for revision := 1; revision <= revisions; revision++ {
		set(i, Customizations, revised(t, c, revision))
		placed.Store(int64(revision))
		if revision%2 == 0 {
			i.Remove(Installed, "other")
		} else {
			set(i, Installed, other)
		}
	}
	done.Store(true)
	askers.Wait()
	if i.Snapshot().Supports(numbered(1), InterpretReplica) {
		t.Error("a source that was removed still answers")
	}
}
