// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
)

// failedRuns is the parameter that says what a failed run is, and its values.
const failedRuns = "failedRuns"

var failedRunsValues = []string{"failover", "healthy", "unhealthy"}

// TestFailedRuns checks that a run that has failed for good is what the one parameter says, in
// every bundle: those of the cases that have finished, and are unhealthy by default.
func TestFailedRuns(t *testing.T) {
	var healthy, failover []string
	for _, b := range bundles(t) {
		for _, p := range b.Parameters {
			if p.Name != failedRuns {
				continue
			}
			if want := failedRunsDefault(b.Name); p.Default != want || !slices.Equal(slices.Sorted(slices.Values(p.Values)), failedRunsValues) {
				t.Errorf("%s: want %s of %v with the default %s, got %v with %s", b.Name, failedRuns, failedRunsValues, want, p.Values, p.Default)
			}
			healthy = append(healthy, b.Name+"."+failedRuns+"=healthy")
			failover = append(failover, b.Name+"."+failedRuns+"=failover")
		}
	}
	byDefault := interpreter(t).Snapshot()
	asHealthy, asFailover := interpreter(t, healthy...).Snapshot(), interpreter(t, failover...).Snapshot()
	kinds := map[string]bool{}
	for key, object := range objectsOfCases(t) {
		if !failedForGood(byDefault, object) {
			continue
		}
		kinds[object.GetKind()] = true
		if !isHealthy(asHealthy, object, false) {
			t.Errorf("%s: unhealthy where %s is healthy", key, failedRuns)
		}
		if !isHealthy(asFailover, object, false) || isHealthy(asFailover, object, true) {
			t.Errorf("%s: where %s is failover, want it unhealthy where the policy moves it, and only there", key, failedRuns)
		}
	}
	t.Logf("%d kinds: %v", len(kinds), kinds)
	if len(kinds) < 12 {
		t.Errorf("failed runs of %d kinds were asked", len(kinds))
	}
}

// failedRunsDefault returns the default of the parameter: that of Flink is Karmada's.
func failedRunsDefault(bundle string) string {
	if bundle == "flink" {
		return "failover"
	}
	return "unhealthy"
}

// withoutRuns are kinds that end without a run: nothing was to succeed, or nothing else may say
// so.
var withoutRuns = []string{"FlinkStateSnapshot", "VirtualMachineInstance", "DataVolume"}

// failedForGood reports whether an object has finished and is unhealthy.
func failedForGood(known engine.Snapshot, object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	if !known.Supports(kind, engine.InterpretFinished) || !known.Supports(kind, engine.InterpretHealth) || slices.Contains(withoutRuns, kind.Kind) {
		return false
	}
	answer, err := known.Evaluate(engine.Request{Operation: engine.InterpretFinished, Object: object})
	return err == nil && answer[0] == true && health(known, object, true) == "false"
}

func isHealthy(known engine.Snapshot, object *unstructured.Unstructured, failover bool) bool {
	return health(known, object, failover) == "true"
}

// health returns true, false, null where nothing is known, or an error.
func health(known engine.Snapshot, object *unstructured.Unstructured, failover bool) string {
	answer, err := known.Evaluate(engine.Request{Operation: engine.InterpretHealth, Object: object, Failover: failover})
	if err != nil {
		return err.Error()
	}
	if answer[0] == nil {
		return "null"
	}
	return fmt.Sprint(answer[0])
}
