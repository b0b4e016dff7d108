// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// placementRules are the rules of a file, and the cases about them.
type placementRules struct {
	file  string
	rules []*interpreterv1alpha1.PlacementRule
	// compiled has those that compile, by name.
	compiled map[string]*engine.PlacementRule
	cases    []*placementCase
	// complete reports whether these are all cases of the file, which must then leave no gap.
	complete bool
	// unread reports whether the rules are not all known, because the file or a document of it does not parse. No case is
	// read then.
	unread bool
}

// placementCase asks a rule about a binding and a cluster.
type placementCase struct {
	node             yamldoc.Node
	name, rule       string
	cluster, binding map[string]any
	now              time.Time
	// output has what is expected: passes, reason and score.
	output map[string]any
	// failure is what the error must match that is expected; nil expects none.
	failure *regexp.Regexp
}

// newPlacementRules returns the rules of a home before they are read.
func newPlacementRules(h *source.Home) *placementRules {
	return &placementRules{file: h.Files[0], compiled: map[string]*engine.PlacementRule{}}
}

// read reads and compiles the rules.
func (r *placementRules) read(c *engine.Compiler, tree *source.Tree) error {
	f, err := tree.File(r.file)
	if err != nil {
		r.unread = true
		return err
	}
	documents, err := f.Documents()
	r.unread = err != nil || slices.ContainsFunc(documents, func(d source.Document) bool { return d.Err != nil })
	var problems yamldoc.Problems
	problems.Add(err)
	for _, d := range documents {
		problems.Add(r.readRule(c, d))
	}
	if len(documents) == 0 && err == nil {
		return fmt.Errorf("%s: there is no PlacementRule", r.file)
	}
	return problems.Err()
}

func (r *placementRules) readRule(c *engine.Compiler, d source.Document) error {
	if d.Err != nil {
		return d.Err
	}
	n := d.Node
	if d.Object == nil || d.Object.GroupVersionKind() != source.PlacementKind() {
		return n.Errorf("want a %s of %s", source.PlacementKind().Kind, source.PlacementKind().GroupVersion())
	}
	rule := &interpreterv1alpha1.PlacementRule{}
	if err := d.Decode(rule); err != nil {
		return n.Errorf("%v", err)
	}
	if _, known := r.find(rule.Name); known || rule.Name == "" {
		return n.Errorf("metadata.name: want a name that no other rule of the file has, got %q", rule.Name)
	}
	r.rules = append(r.rules, rule)
	compiled, errs := c.PlacementRule(rule)
	var problems yamldoc.Problems
	for _, err := range errs {
		at, message := n, err.Error()
		if e, ok := errors.AsType[*engine.FieldError](err); ok {
			at, message = n.At(e.Field), strings.TrimPrefix(message, e.Field+": ")
		}
		problems.Add(at.Errorf("PlacementRule %s: %s", rule.Name, message))
	}
	if compiled != nil {
		r.compiled[rule.Name] = compiled
	}
	return problems.Err()
}

func (r *placementRules) find(name string) (*interpreterv1alpha1.PlacementRule, bool) {
	for _, rule := range r.rules {
		if rule.Name == name {
			return rule, true
		}
	}
	return nil, false
}

// readCases reads the cases of a file.
func (r *placementRules) readCases(f *source.File) error {
	if r.unread {
		return nil
	}
	documents, err := f.Documents()
	var problems yamldoc.Problems
	problems.Add(err)
	for _, d := range documents {
		if d.Err != nil {
			problems.Add(d.Err)
		} else if d.Node.Value != nil {
			problems.Add(r.readCase(d.Node))
		}
	}
	return problems.Err()
}

func (r *placementRules) readCase(n yamldoc.Node) error {
	c := &placementCase{node: n, now: cases.Now(), output: map[string]any{}}
	var now, description string
	var output, failure yamldoc.Node
	err := n.Fields(yamldoc.Fields{
		"name":        yamldoc.String(&c.name),
		"description": yamldoc.String(&description),
		"rule":        yamldoc.String(&c.rule),
		"cluster":     anyMap(&c.cluster),
		"binding":     anyMap(&c.binding),
		"now":         yamldoc.String(&now),
		"output":      yamldoc.Keep(&output),
		"expectError": yamldoc.Keep(&failure),
	}, "name", "cluster", "binding")
	if err != nil {
		return err
	}
	if c.rule == "" && len(r.rules) == 1 {
		c.rule = r.rules[0].Name
	}
	rule, known := r.find(c.rule)
	switch {
	case !known && c.rule == "":
		return n.Errorf("name the rule that the case is about; %s has %d", r.file, len(r.rules))
	case !known:
		return n.Get("rule").Errorf("%s", yamldoc.Unknown("rule", c.rule, r.names()))
	case (output.Value == nil) == (failure.Value == nil):
		return n.Errorf("a case must have output or expectError, and not both")
	}
	if now != "" {
		if c.now, err = time.Parse(time.RFC3339, now); err != nil {
			return n.Get("now").Errorf("want a time such as 2026-01-02T15:04:05Z")
		}
	}
	if failure.Value != nil {
		var message string
		if err := failure.Fields(yamldoc.Fields{"message": yamldoc.String(&message)}, "message"); err != nil {
			return err
		}
		if len(message) > maxPlacementPattern {
			return failure.Get("message").Errorf("a pattern of %d bytes; want at most %d", len(message), maxPlacementPattern)
		}
		if c.failure, err = regexp.Compile(message); err != nil {
			return failure.Get("message").Errorf("%v", err)
		}
	} else if err := c.readOutput(output, rule); err != nil {
		return err
	}
	r.cases = append(r.cases, c)
	return nil
}

// maxPlacementPattern is the maximum length of a pattern in bytes.
const maxPlacementPattern = 1 << 10

// The results of a rule, by the names that cases have for them.
const (
	passesResult = "passes"
	reasonResult = "reason"
	scoreResult  = "score"
)

// readOutput reads what is expected of a rule: at least one result that it has.
func (c *placementCase) readOutput(n yamldoc.Node, rule *interpreterv1alpha1.PlacementRule) error {
	err := n.Each(func(key string, value yamldoc.Node) error {
		ok := false
		switch key {
		case passesResult:
			_, ok = value.Value.(bool)
		case reasonResult:
			_, ok = value.Value.(string)
		case scoreResult:
			_, ok = value.Value.(int64)
		default:
			return value.Errorf("%s", yamldoc.Unknown("result", key, []string{passesResult, reasonResult, scoreResult}))
		}
		of := map[bool]string{true: rule.Spec.ClusterScore, false: rule.Spec.ClusterFilter}[key == scoreResult]
		switch {
		case !ok:
			return value.Errorf("want passes: a boolean, reason: a text, or score: a whole number")
		case of == "":
			return value.Errorf("the rule %s has no expression for it", rule.Name)
		}
		c.output[key] = value.Value
		return nil
	})
	if err == nil && len(c.output) == 0 {
		return n.Errorf("give passes, reason or score")
	}
	return err
}

func (r *placementRules) names() []string {
	var all []string
	for _, rule := range r.rules {
		all = append(all, rule.Name)
	}
	return all
}

// anyMap reads a map.
func anyMap(into *map[string]any) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		m, ok := n.Value.(map[string]any)
		if !ok {
			return n.Errorf("want a map")
		}
		*into = m
		return nil
	}
}

// run runs the cases.
func (r *placementRules) run(report *Report, each func(CaseReport)) {
	for _, c := range r.cases {
		result := c.run(r.compiled[c.rule])
		result.AnsweredBy = "PlacementRule " + c.rule + " in " + r.file
		report.addPlacement(result)
		if each != nil {
			each(result)
		}
	}
}

// run asks the rule, which is nil if it does not compile.
func (c *placementCase) run(rule *engine.PlacementRule) CaseReport {
	report := CaseReport{
		File: c.node.File, Line: c.node.Line, Name: c.name, APIVersion: source.PlacementKind().GroupVersion().String(), Kind: source.PlacementKind().Kind,
		Operation: c.rule, Failures: []cases.Failure{},
	}
	if rule == nil {
		report.Err = fmt.Errorf("PlacementRule %s does not compile", c.rule)
		report.Failures = append(report.Failures, differs("error", nil, report.Err.Error()))
		return report
	}
	p := rule.Placement(c.binding, c.now)
	passes, reason, err := p.Filter(c.cluster)
	score := int64(0)
	if err == nil {
		score, err = p.Score(c.cluster)
	}
	report.Gas, report.Err = p.Used.Gas, err
	switch {
	case c.failure != nil && (err == nil || !c.failure.MatchString(messageOf(err))):
		report.Failures = append(report.Failures, differs("error", c.failure.String(), messageOf(err)))
	case c.failure != nil:
	case err != nil:
		report.Failures = append(report.Failures, differs("error", nil, messageOf(err)))
	default:
		got := map[string]any{passesResult: passes, reasonResult: reason, scoreResult: score}
		for _, key := range []string{passesResult, reasonResult, scoreResult} {
			if want, checked := c.output[key]; checked && !reflect.DeepEqual(want, got[key]) {
				report.Failures = append(report.Failures, differs(key, want, got[key]))
			}
		}
	}
	report.Passed = len(report.Failures) == 0
	return report
}

// messageOf returns the message of an error of a run, "" for none.
func messageOf(err error) string {
	if failure, ok := errors.AsType[*script.Error](err); ok {
		return failure.Message
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// differs returns a difference; nil is nothing that is expected.
func differs(path string, want, got any) cases.Failure {
	f := cases.Failure{Path: path}
	if want != nil {
		f.Want, _ = json.Marshal(want) // texts, booleans and numbers
	}
	f.Got, _ = json.Marshal(got)
	return f
}

// addPlacement counts a case about a PlacementRule.
func (r *Report) addPlacement(c CaseReport) {
	kind := r.kind(source.PlacementKind().GroupKind().String())
	if c.Passed {
		r.Passed++
		kind.Passed++
	} else {
		r.Failed++
		kind.Failed++
	}
	r.Cases = append(r.Cases, c)
}

// gaps returns what no case of the file checks.
func (r *placementRules) gaps() error {
	if !r.complete {
		return nil
	}
	var errs []error
	for _, rule := range r.rules {
		checks := func(keys ...string) bool {
			return slices.ContainsFunc(r.cases, func(c *placementCase) bool {
				return c.rule == rule.Name && slices.ContainsFunc(keys, func(key string) bool { _, ok := c.output[key]; return ok })
			})
		}
		if rule.Spec.ClusterFilter != "" && !checks(passesResult, reasonResult) {
			errs = append(errs, fmt.Errorf("%s: no case checks what the clusterFilter of %s answers", r.file, rule.Name))
		}
		if rule.Spec.ClusterScore != "" && !checks(scoreResult) {
			errs = append(errs, fmt.Errorf("%s: no case checks what the clusterScore of %s answers", r.file, rule.Name))
		}
	}
	return errors.Join(errs...)
}
