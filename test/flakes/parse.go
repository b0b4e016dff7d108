// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// result is what became of a spec or a test in one run. Those that were skipped have
// none.
type result struct {
	name   string
	failed bool
	// outside reports whether it is no spec but what runs before, after or around them.
	outside bool
}

// failures returns the results that failed.
func failures(results []result) []result {
	return slices.DeleteFunc(slices.Clone(results), func(r result) bool { return !r.failed })
}

// parseReport reads the JSON report of Ginkgo.
func parseReport(text []byte) ([]result, error) {
	var reports []types.Report
	if err := json.Unmarshal(text, &reports); err != nil {
		return nil, fmt.Errorf("read the report of the specs: %w", err)
	}
	var results []result
	for _, report := range reports {
		for _, spec := range report.SpecReports {
			if spec.State.Is(types.SpecStatePending | types.SpecStateSkipped) {
				continue
			}
			r := result{name: spec.FullText(), failed: spec.Failed()}
			if !spec.LeafNodeType.Is(types.NodeTypeIt) {
				r.name, r.outside = strings.TrimSpace(fmt.Sprintf("[%s] %s", spec.LeafNodeType, spec.LeafNodeText)), true
			}
			results = append(results, r)
		}
	}
	return results, nil
}

var (
	// line is one of those that a test program prints with -test.v=test2json. A mark
	// precedes it, so that it is found after output that ends without a line feed.
	line = regexp.MustCompile(`(?m)\x16 *(=== RUN  |--- PASS:|--- FAIL:|--- SKIP:) +(\S+)`)
	// suite is what Ginkgo prints first.
	suite = regexp.MustCompile(`(?m)^Running Suite: `)
)

// parseTests reads what a test program printed with -test.v=test2json. A test that began
// and has no result has failed: the program ended within it. A test with subtests has no
// result of its own if they have failed. With specs, the test that runs them has none:
// their report has more.
func parseTests(printed string, specs bool) []result {
	var results []result
	began := map[string]bool{}
	runner := ""
	lines := line.FindAllStringSubmatchIndex(printed, -1)
	for i, at := range lines {
		what, name := printed[at[2]:at[3]], printed[at[4]:at[5]]
		next := len(printed)
		if i+1 < len(lines) {
			next = lines[i+1][0]
		}
		if strings.HasPrefix(what, "===") {
			began[name] = true
			if suite.MatchString(printed[at[1]:next]) {
				runner = name
			}
			continue
		}
		delete(began, name)
		if what != "--- SKIP:" {
			results = append(results, result{name: name, failed: what == "--- FAIL:"})
		}
	}
	for _, name := range sorted(began) {
		results = append(results, result{name: name, failed: true})
	}
	failed := failures(results)
	return slices.DeleteFunc(results, func(r result) bool {
		below := func(f result) bool { return strings.HasPrefix(f.name, r.name+"/") }
		return specs && r.name == runner || r.failed && slices.ContainsFunc(failed, below)
	})
}
