// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// sarifDocument is what the specification of SARIF 2.1.0 has for the parts that a log of a
// check uses, written from its sections 3.13 to 3.59 and not from the code.
type sarifDocument struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string `json:"name"`
				Rules []struct {
					ID               string `json:"id"`
					ShortDescription struct {
						Text string `json:"text"`
					} `json:"shortDescription"`
					Help struct {
						Text string `json:"text"`
					} `json:"help"`
					DefaultConfiguration struct {
						Level string `json:"level"`
					} `json:"defaultConfiguration"`
				} `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Invocations []struct {
			ExecutionSuccessful        *bool `json:"executionSuccessful"`
			ToolExecutionNotifications []struct {
				Level   string `json:"level"`
				Message struct {
					Text string `json:"text"`
				} `json:"message"`
			} `json:"toolExecutionNotifications"`
		} `json:"invocations"`
		ColumnKind string `json:"columnKind"`
		Results    []struct {
			RuleID    string `json:"ruleId"`
			RuleIndex *int   `json:"ruleIndex"`
			Level     string `json:"level"`
			Message   struct {
				Text string `json:"text"`
			} `json:"message"`
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct {
						URI string `json:"uri"`
					} `json:"artifactLocation"`
					Region *struct {
						StartLine   int  `json:"startLine"`
						StartColumn *int `json:"startColumn"`
					} `json:"region"`
				} `json:"physicalLocation"`
			} `json:"locations"`
		} `json:"results"`
	} `json:"runs"`
}

// TestSARIF decodes a log strictly, and checks what the specification requires of its values.
func TestSARIF(t *testing.T) {
	c := checker(t)
	f := c.Files(os.DirFS(filepath.Join("testdata", "lint")), []string{".", "nowhere.yaml"})
	f.Lint(c, nil)
	var text bytes.Buffer
	if err := f.WriteSARIF(&text); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(&text)
	decoder.DisallowUnknownFields()
	var log sarifDocument
	if err := decoder.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("got version %s and %d runs", log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	levels := map[string]bool{"none": true, "note": true, "warning": true, "error": true}
	rules := run.Tool.Driver.Rules
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.Help.Text == "" || !levels[r.DefaultConfiguration.Level] {
			t.Errorf("rule %+v lacks a part", r)
		}
	}
	if run.Tool.Driver.Name == "" || run.ColumnKind != "unicodeCodePoints" && run.ColumnKind != "utf16CodeUnits" {
		t.Errorf("got the driver %q and columns as %q", run.Tool.Driver.Name, run.ColumnKind)
	}
	if len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful == nil || *run.Invocations[0].ExecutionSuccessful ||
		len(run.Invocations[0].ToolExecutionNotifications) != 1 {
		t.Errorf("the file that is not there is not in the invocations: %+v", run.Invocations)
	}
	if want := len(f.Problems) + len(f.Warnings); len(run.Results) != want || want < 40 {
		t.Errorf("got %d results of %d findings", len(run.Results), want)
	}
	for _, r := range run.Results {
		if r.RuleIndex == nil || rules[*r.RuleIndex].ID != r.RuleID || !levels[r.Level] || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("result %+v is not well formed", r)
			continue
		}
		place := r.Locations[0].PhysicalLocation
		if place.ArtifactLocation.URI == "" || place.Region == nil || place.Region.StartLine < 1 || place.Region.StartColumn != nil && *place.Region.StartColumn < 1 {
			t.Errorf("result %+v has no place", r)
		}
	}
}
