// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gopher "github.com/yuin/gopher-lua"

	"github.com/dragoman-io/dragoman/engine/script"
)

// The files testdata/*.lua hold chunks, divided by lines of four dashes, with
// what each is expected to return:
//
//	--> 1, "a"      the values it returns
//	--x message     the error it ends in
//	--~ reason      gopher-lua's machine returns something else, and why
//
// Each chunk also runs on gopher-lua's machine, which must agree on values and
// on whether there is an error. The chunks of testdata/differences.lua are where it
// must not: each names the reason. The chunks of testdata/own are about what Lua does not have,
// and run on ours alone.

var update = flag.Bool("update", false, "rewrite what the chunks of testdata/*.lua give; read the difference before you commit it")

// differences is the file of all intended differences from gopher-lua's machine.
const differences = "differences.lua"

// chunk is one piece of a file of testdata.
type chunk struct {
	lines  []string
	want   string
	differ string
}

func (c chunk) source() string { return strings.Join(c.lines, "\n") }

func readChunks(t testing.TB, file string) []chunk {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var chunks []chunk
	for _, part := range strings.Split(strings.TrimSpace(string(text)), "\n----\n") {
		var c chunk
		for _, line := range strings.Split(strings.TrimSuffix(part, "\n----"), "\n") {
			switch {
			case strings.HasPrefix(line, "--> "), strings.HasPrefix(line, "--x "), line == "-->":
				c.want = line
			case strings.HasPrefix(line, "--~ "):
				c.differ = line
			default:
				c.lines = append(c.lines, line)
			}
		}
		chunks = append(chunks, c)
	}
	return chunks
}

func writeChunks(t *testing.T, file string, chunks []chunk) {
	t.Helper()
	var b strings.Builder
	for i, c := range chunks {
		if i > 0 {
			b.WriteString("----\n")
		}
		b.WriteString(c.source() + "\n" + c.want + "\n")
		if c.differ != "" {
			b.WriteString(c.differ + "\n")
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// chunkTime is the time that chunks see.
var chunkTime = time.Date(2024, 1, 15, 10, 30, 5, 0, time.UTC)

// outcome runs a chunk and shows what it returns.
func outcome(source string) string {
	p, err := Compile(Script{File: "<string>", Text: source}, script.Limits{})
	if err != nil {
		return "--x " + oneLine(err.Error())
	}
	var got string
	_, err = p.Run(&script.Call{Now: chunkTime, Limits: script.Limits{Gas: 1e8, Memory: 1 << 30}}, decodeFunc(func(results []any) error {
		var all []string
		for _, r := range results {
			all = append(all, dump(r, 0))
		}
		got = strings.TrimSuffix("--> "+strings.Join(all, ", "), " ")
		return nil
	}))
	if err != nil {
		return "--x " + oneLine(err.Error())
	}
	return got
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", "\\n") }

// dump writes a value of our machine: lists first, then keys sorted.
func dump(v any, depth int) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case *table:
		if depth == 9 {
			return "..."
		}
		var items, fields []string
		c := cursor{table: x}
		for key, value, ok := c.next(); ok; key, value, ok = c.next() {
			if i, isInt := key.(int64); isInt && int(i) == len(items)+1 {
				items = append(items, dump(value, depth+1))
				continue
			}
			fields = append(fields, fmt.Sprintf("[%s]=%s", dump(key, depth+1), dump(value, depth+1)))
		}
		slices.Sort(fields)
		return "{" + strings.Join(append(items, fields...), ", ") + "}"
	}
	return text(v)
}

// tooSlow is in what gopherOutcome returns of a chunk that it did not get done with: on a
// machine under load that means nothing.
const tooSlow = "context deadline exceeded"

// gopherOutcome runs a chunk on gopher-lua's machine.
func gopherOutcome(source string) (got string, failed bool) {
	l := gopher.NewState()
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.SetContext(ctx)
	l.SetGlobal("print", l.NewFunction(func(*gopher.LState) int { return 0 }))
	if err := l.DoString(source); err != nil {
		return "--x " + oneLine(err.Error()), true
	}
	var all []string
	for i := 1; i <= l.GetTop(); i++ {
		all = append(all, gopherDump(l.Get(i), 0))
	}
	return strings.TrimSuffix("--> "+strings.Join(all, ", "), " "), false
}

func gopherDump(v gopher.LValue, depth int) string {
	switch x := v.(type) {
	case gopher.LString:
		return fmt.Sprintf("%q", string(x))
	case gopher.LNumber:
		return formatFloat(float64(x))
	case *gopher.LFunction:
		return "function"
	case *gopher.LTable:
		if depth == 9 {
			return "..."
		}
		var items, fields []string
		for i := 1; x.RawGetInt(i) != gopher.LNil; i++ {
			items = append(items, gopherDump(x.RawGetInt(i), depth+1))
		}
		x.ForEach(func(k, v gopher.LValue) {
			if n, ok := k.(gopher.LNumber); ok && n >= 1 && int(n) <= len(items) && gopher.LNumber(int(n)) == n {
				return
			}
			fields = append(fields, fmt.Sprintf("[%s]=%s", gopherDump(k, depth+1), gopherDump(v, depth+1)))
		})
		slices.Sort(fields)
		return "{" + strings.Join(append(items, fields...), ", ") + "}"
	}
	return v.String()
}

func chunkFiles(t testing.TB) []string {
	t.Helper()
	shared, _ := filepath.Glob("testdata/*.lua")
	own, _ := filepath.Glob("testdata/own/*.lua")
	if len(shared) == 0 || len(own) == 0 {
		t.Fatal("there are no chunks below testdata")
	}
	return append(shared, own...)
}

func TestChunks(t *testing.T) {
	for _, file := range chunkFiles(t) {
		own := strings.Contains(file, "own")
		t.Run(filepath.Base(file), func(t *testing.T) {
			chunks := readChunks(t, file)
			for i, c := range chunks {
				got := outcome(c.source())
				if *update {
					chunks[i].want = got
				} else if got != c.want {
					t.Errorf("chunk %d:\n%s\ngot  %s\nwant %s", i+1, c.source(), got, c.want)
				}
				if own {
					continue
				}
				if stands := filepath.Base(file) == differences; stands != (c.differ != "") {
					t.Errorf("chunk %d:\n%s\nall chunks that differ from gopher-lua, and no others, stand in %s", i+1, c.source(), differences)
				}
				reference, failed := gopherOutcome(c.source())
				if strings.Contains(reference, tooSlow) {
					continue
				}
				same := reference == got || failed && strings.HasPrefix(got, "--x ")
				switch {
				case !same && c.differ == "":
					t.Errorf("chunk %d:\n%s\ngot        %s\ngopher-lua %s", i+1, c.source(), got, reference)
				case same && c.differ != "":
					t.Errorf("chunk %d:\n%s\nexpects gopher-lua to differ, but both return %s", i+1, c.source(), got)
				}
			}
			if *update {
				writeChunks(t, file, chunks)
			}
		})
	}
}
