// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
)

func assertionOf(t *testing.T, text string) (*Assertion, error) {
	t.Helper()
	c, err := NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c.Assertion(AssertionSource{File: "a.yaml", Text: text, Results: []string{"status", "healthy"}, Inputs: []string{"desiredObj", "statusItems"}})
}

func assertionValues() AssertionValues {
	return AssertionValues{
		Now:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Result: map[string]any{"status": map[string]any{"phase": "Down", "replicas": int64(3), "at": "2026-01-02T03:00:00Z"}, "healthy": nil},
		Input: map[string]any{
			"desiredObj":  map[string]any{"spec": map[string]any{"replicas": int64(3)}},
			"statusItems": []any{map[string]any{"status": map[string]any{"replicas": int64(1)}}, map[string]any{"status": map[string]any{"replicas": int64(2)}}},
		},
	}
}

func TestAssertionHolds(t *testing.T) {
	for text, want := range map[string]bool{
		`result.status.phase == "Down"`:                                                                         true,
		`result.status.phase == "Up"`:                                                                           false,
		`result.status.replicas == input.desiredObj.spec.replicas`:                                              true,
		`result.status.replicas == input.statusItems.map(i, int(i.status.replicas)).sum()`:                      true,
		`input.statusItems.all(i, i.status.replicas < result.status.replicas)`:                                  true,
		`result.healthy == null`:                                                                                true,
		`has(result.status.gone)`:                                                                               false,
		`now - timestamp(result.status.at) < duration("10m")`:                                                   true,
		`result == {"status": {"phase": "Down", "replicas": 3, "at": "2026-01-02T03:00:00Z"}, "healthy": null}`: true,
	} {
		a, err := assertionOf(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, usage, err := a.Holds(assertionValues())
		if err != nil || got != want || usage.Gas <= 0 {
			t.Errorf("%s: got %v with %d gas, error %v; want %v", text, got, usage.Gas, err, want)
		}
	}
}

func TestAssertionIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`result.status.phase = "Down"`:         "a.yaml:1:21: ",
		`result.status.phase == "Down" && 1`:   "a.yaml:1:34: ",
		`size(result)`:                         "a condition is true or false, and this is of type int",
		`result.helthy == true`:                `there is no result "helthy"`,
		`result.status == input.desiredObject`: `there is no input "desiredObject"`,
		`result.status == params.x`:            "parameter",
		`resul.status == 1`:                    "resul",
		`input.desiredObj == null`:             "does not look at result",
		`true`:                                 "does not look at result",
		`result.status == kube.quantty("1")`:   "quantty",
		``:                                     "a.yaml",
	} {
		_, err := assertionOf(t, text)
		failure, ok := errors.AsType[*script.Error](err)
		if !ok || failure.Code != script.Syntax || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want a syntax error with %q", text, err, want)
		}
	}
}

func TestAssertionThatCannotBeEvaluated(t *testing.T) {
	lists := strings.Repeat("[1,2,3,4,5,6,7,8,9,10].all(x, ", 7)
	for text, want := range map[string]script.Code{
		`result.status.gone == 1`: script.Type,
		`result.status`:           script.Result,
		lists + "result.status.replicas != x" + strings.Repeat(" || true)", 7): script.Gas,
	} {
		a, err := assertionOf(t, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, _, err = a.Holds(assertionValues())
		if failure, ok := errors.AsType[*script.Error](err); !ok || failure.Code != want {
			t.Errorf("%.60s: got %v; want an error of code %s", text, err, want)
		}
	}
}

func TestAssertionExplainsItsParts(t *testing.T) {
	a, err := assertionOf(t, `result.status.phase == "Up" || result.status.replicas > input.desiredObj.spec.replicas`)
	if err != nil {
		t.Fatal(err)
	}
	parts, usage := a.Explain(assertionValues(), 10)
	var got []string
	for _, p := range parts {
		got = append(got, p.Expression+" -> "+p.Value)
	}
	want := []string{
		`result.status.phase -> "Down"`, `result.status.phase == "Up" -> false`, `result.status.replicas -> 3`,
		`input.desiredObj.spec.replicas -> 3`, `result.status.replicas > input.desiredObj.spec.replicas -> false`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || usage.Gas <= 0 {
		t.Errorf("got %q; want %q", got, want)
	}
	if few, _ := a.Explain(assertionValues(), 2); len(few) != 2 {
		t.Errorf("got %d parts; want 2", len(few))
	}
}

func TestAssertionNamesItsResults(t *testing.T) {
	for text, want := range map[string]string{
		`result.status.phase == "Down"`:      "[status]",
		`result["status"] == result.healthy`: "[healthy status]",
		`size(result) == 2`:                  "[status healthy]",
		`has(result.healthy)`:                "[healthy]",
	} {
		a, err := assertionOf(t, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := fmt.Sprint(a.Results()); got != want {
			t.Errorf("%s: got %s; want %s", text, got, want)
		}
	}
}
