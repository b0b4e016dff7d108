// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// TestSizeBoundsTheHeap compiles each source many times and compares what the programs
// keep with what they say.
func TestSizeBoundsTheHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	sources := map[string]string{
		"a literal": "true", "a path": "object.a.b.c", "health": flinkHealthHas, "health, optional": flinkHealthOptional, "components": flinkComponents, "status": deploymentStatus,
		"a text": "'" + strings.Repeat("a", 20_000) + "'", "lines": strings.Repeat("\n", 20_000) + "1", "wide text": "'" + strings.Repeat("\U0001f600", 5_000) + "'", "an odd text": "'" + strings.Repeat(`\n`, 10_000) + "'",
		"classes": `[object.a.matches("` + strings.Repeat(`\\pL\\pN`, 14) + `"), object.a.find("` + strings.Repeat("[a-z]x", 100) + `") == ""]`,
	}
	for name, form := range map[string]string{"calls": "dyn(a)", "types": "type(a)", "not": "!!a", "least": "[now].min()", "signs": "sign(a)", "matches": "a.find('[a-z]')", "loops": "a.map(x,x)", "entries": "{1:a}", "formats": "'%s'.format([1])", "firsts": "[].first()", "constants": "[1]", "texts": "'abc'"} {
		sources[name] = strings.ReplaceAll(arrangements["list"](form, 8_000), "a", "object")
	}
	files, err := filepath.Glob("../../../scripts/*/*/*.cel")
	if err != nil || len(files) == 0 {
		t.Fatalf("no expressions in scripts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(text)
	}
	c := compiler(t)
	variables := typed("object", "items", "desired", "observed", "replicas", "state")
	for name, source := range sources {
		p, err := c.Compile("test.cel", source, variables, script.Limits{})
		if err != nil {
			continue
		}
		if kept := kept(t, c, source, variables); kept > p.Size() {
			t.Errorf("%s: a program of %d bytes keeps %d, and says %d", name, len(source), kept, p.Size())
		} else if p.Size() > 8*kept+3*programBytes {
			t.Errorf("%s: a program of %d bytes keeps %d only, and says %d", name, len(source), kept, p.Size())
		}
	}
}

// kept returns what a program of a source keeps, on average.
func kept(t *testing.T, c *Compiler, source string, variables []Variable) int64 {
	t.Helper()
	programs := make([]script.Program, max(10, 100_000/len(source)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range programs {
		var err error
		if programs[i], err = c.Compile("test.cel", strings.Clone(source), variables, script.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(programs)
	return (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / int64(len(programs))
}
