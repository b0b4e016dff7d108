// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/test/shared"
)

// karmadaFile lists Karmada's cases whose answer is another here, a line each: kind,
// case, reason.
const karmadaFile = "testdata/karmada.txt"

// reasons explain why an answer may differ from that in Karmada's cases. Each is about
// the results of a kind whose path it matches.
var reasons = []reason{
	{
		"FlinkDeployment", regexp.MustCompile(`resourceRequest\.memory$`),
		"Flink's 1024m is 1024 MiB; Karmada reads 1.024 bytes (flink.memoryUnits=quantity does so too)",
	},
	{
		"FlinkDeployment", regexp.MustCompile(`savepointHistory$`),
		"an empty list of the member stays; Karmada drops it",
	},
	{
		"HelmRelease", regexp.MustCompile(`lastReleaseRevision$`),
		"the field is a number; Karmada writes an empty text, which the CRD refuses",
	},
	{
		"SidecarSet", regexp.MustCompile(`aggregatedStatus\.spec$`),
		"the object keeps its spec; Karmada's expected object has lost it",
	},
	{
		"RayCluster", regexp.MustCompile(`status\.conditions\[`),
		"one condition of each type, as the CRD demands; Karmada's list with a type twice is refused by the API server (ray.conditions=cluster writes it)",
	},
	{
		"RayJob", regexp.MustCompile(`^components\.submitter$`),
		"the pod that submits the job lives as long as the job, and counts (ray.submitter=ignored leaves it out)",
	},
}

type reason struct {
	kind string
	path *regexp.Regexp
	text string
}

// reasonOf returns the reason for a case that differs, or an error that shows what is not
// explained.
func reasonOf(result cases.Result) (string, error) {
	var found []string
	for _, f := range result.Failures {
		i := slices.IndexFunc(reasons, func(r reason) bool {
			return r.kind == result.Case.Kind().Kind && r.path.MatchString(f.Path)
		})
		if i < 0 {
			return "", fmt.Errorf("%s: %s: want %s, got %s", result.Case.Where(), f.Path, f.Want, f.Got)
		}
		if !slices.Contains(found, reasons[i].text) {
			found = append(found, reasons[i].text)
		}
	}
	return strings.Join(found, "; "), nil
}

// TestCasesOfKarmada runs all of Karmada's cases. Those that differ do so for a reason
// that is written down.
func TestCasesOfKarmada(t *testing.T) {
	all := karmadaCases(t, shared.Folder(t, "cases"))
	different := differences(t, all)
	text := strings.Join(different, "\n") + "\n"
	t.Logf("%d of Karmada's %d cases pass; these differ:\n%s", len(all)-len(different), len(all), text)
	golden(t, karmadaFile, text)
}

// differences runs cases, and returns a line for each that differs, sorted.
func differences(t *testing.T, all []*cases.Case) []string {
	t.Helper()
	runner := &cases.Runner{Bundles: bundles(t), AllowUnchecked: true}
	var lines []string
	for _, c := range all {
		result := runner.Run(c)
		if result.Passed() {
			continue
		}
		reason, err := reasonOf(result)
		if err = errors.Join(err, result.Err); err != nil {
			t.Error(err)
		}
		lines = append(lines, fmt.Sprintf("%s | %s | %s", c.Kind().Kind, c.Name, reason))
	}
	slices.Sort(lines)
	return lines
}

// karmadaCases reads all cases below a folder.
func karmadaCases(t *testing.T, folder string) []*cases.Case {
	t.Helper()
	var all []*cases.Case
	for _, file := range yamlFiles(t, folder) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := cases.Read(nil, file, data)
		if err != nil {
			t.Error(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Error("there is no case")
	}
	return all
}

func yamlFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && cases.IsYAML(path) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
