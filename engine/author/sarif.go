// SPDX-License-Identifier: Apache-2.0

package author

import (
	"io"
	"net/url"
	"slices"

	"github.com/dragoman-io/dragoman/engine/internal/lint"
)

// The parts of a report in the form of SARIF 2.1.0 (OASIS), as far as a check needs them.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string      `json:"id"`
		ShortDescription sarifText   `json:"shortDescription"`
		Help             sarifText   `json:"help"`
		Default          sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// invalid is the rule of problems that no lint rule is about: what the control plane refuses.
var invalid = lint.Rule{ID: "invalid", Severity: lint.Error, Summary: "The control plane refuses an object, or a script does not compile"}

// WriteSARIF writes the findings as a log of SARIF 2.1.0, with all rules.
func (f *Findings) WriteSARIF(w io.Writer) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "dragoman"}}, Invocations: []sarifInvocation{{ExecutionSuccessful: len(f.Errs) == 0}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	rules := append(lint.Rules(), invalid)
	for _, r := range rules {
		help := "dragoman docs lint " + r.ID
		if r.ID == invalid.ID {
			help = "dragoman docs errors"
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifText{r.Summary + "."}, sarifText{help}, sarifConfig{string(r.Severity)}})
	}
	for _, err := range f.Errs {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifText{err.Error()}})
	}
	for _, p := range f.levelled()[:len(f.Problems)+len(f.Warnings)] {
		i := slices.IndexFunc(rules, func(r lint.Rule) bool { return r.ID == p.Rule })
		if i < 0 {
			i = len(rules) - 1
		}
		place := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: p.File}).String()}}
		if p.Line > 0 {
			place.Region = &sarifRegion{p.Line, p.Column}
		}
		run.Results = append(run.Results, sarifResult{rules[i].ID, i, string(p.level), sarifText{p.Text()}, []sarifLocation{{place}}})
	}
	return writeJSON(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}
