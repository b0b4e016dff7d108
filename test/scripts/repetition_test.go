// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/scripts"
)

const (
	// runLength is how many lines in a row count as repeated.
	runLength = 6
	// mostRepeated is the share of lines that may stand in such runs, in percent.
	mostRepeated = 5
)

// line is a line of a script with something in it.
type line struct {
	bundle, file, text string
}

// TestBundlesDoNotRepeatEachOther counts the lines that stand in runs which another
// bundle has too. Lines without text and comments do not count.
func TestBundlesDoNotRepeatEachOther(t *testing.T) {
	files := scriptLines(t)
	owners := map[string]map[string]bool{}
	for _, lines := range files {
		for i := 0; i+runLength <= len(lines); i++ {
			key := run(lines[i:])
			if owners[key] == nil {
				owners[key] = map[string]bool{}
			}
			owners[key][lines[i].bundle] = true
		}
	}
	total, repeated := 0, 0
	for _, lines := range files {
		shared := make([]bool, len(lines))
		for i := 0; i+runLength <= len(lines); i++ {
			if len(owners[run(lines[i:])]) < 2 {
				continue
			}
			t.Logf("%s has a run that another bundle has too:\n%s", lines[i].file, run(lines[i:]))
			for k := range runLength {
				shared[i+k] = true
			}
		}
		for _, s := range shared {
			total++
			if s {
				repeated++
			}
		}
	}
	t.Logf("%d of %d lines stand in runs of %d that another bundle has too", repeated, total, runLength)
	if total == 0 || repeated*100 > mostRepeated*total {
		t.Errorf("%d of %d lines are repeated in another bundle; at most %d %% may be", repeated, total, mostRepeated)
	}
}

// run returns the first lines as one text.
func run(lines []line) string {
	var text strings.Builder
	for _, l := range lines[:runLength] {
		text.WriteString(l.text + "\n")
	}
	return text.String()
}

// scriptLines reads the lines of all scripts, a list for each file.
func scriptLines(t *testing.T) [][]line {
	t.Helper()
	var files [][]line
	err := fs.WalkDir(scripts.FS, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".lua" && path.Ext(file) != ".cel" {
			return err
		}
		data, err := fs.ReadFile(scripts.FS, file)
		bundle, _, _ := strings.Cut(file, "/")
		var lines []line
		for text := range strings.Lines(string(data)) {
			text = strings.TrimSpace(text)
			if text != "" && !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "//") {
				lines = append(lines, line{bundle, file, text})
			}
		}
		files = append(files, lines)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
