// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/programs"
)

// limited starts the command after it in a process that may have 1 GiB of memory of its
// own. The addresses are not limited: a Go program reserves more than it uses.
const limited = `ulimit -d 1048576 && exec "$@"`

// memoryProbe is the variable that makes this test program take 2 GiB.
const memoryProbe = "DRAGOMAN_TEST_TAKES_2GIB"

func TestMain(m *testing.M) {
	if os.Getenv(memoryProbe) != "" {
		taken := make([]byte, 2<<30)
		os.Exit(int(taken[len(taken)-1]))
	}
	if file := os.Getenv(launches); file != "" {
		launch(file, os.Args[1:])
	}
	os.Exit(m.Run())
}

// TestTheLimitHolds shows that a process that takes 2 GiB does not survive it.
func TestTheLimitHolds(t *testing.T) {
	for want, command := range map[bool][]string{
		true:  {os.Args[0]},
		false: {"sh", "-c", limited, "sh", os.Args[0]},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), memoryProbe+"=1")
		if err := cmd.Run(); (err == nil) != want {
			t.Errorf("%v ends with %v; want success: %v", command, err, want)
		}
	}
}

// dragoman is the program of this module.
type dragoman string

func build(t *testing.T) dragoman {
	t.Helper()
	dir, err := programs.Dir(t.Context(), t.TempDir(), "dragoman")
	if err != nil {
		t.Fatal(err)
	}
	return dragoman(filepath.Join(dir, "dragoman"))
}

// ending is how a process ended.
type ending struct {
	exit   int
	output string
	// peak is the most memory that it held, in bytes.
	peak int64
	took time.Duration
	// hung reports whether it was ended after patience.
	hung bool
}

// patience is how long an attack may take by the clock before it is ended. It is far
// beyond what any may take, so that a busy machine changes nothing.
const patience = 2 * time.Minute

// ask runs an attack through dragoman eval, or dragoman test for a folder.
func (d dragoman) ask(t *testing.T, q attack.Question) ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	file := filepath.Join(t.TempDir(), "usage.json")
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"sh", "-c", limited, "sh", string(d)}, arguments(t, q)...)...)
	// Half of the garbage that the collector allows by default, so that less of it counts.
	cmd.Env = append(os.Environ(), launches+"="+file, "GOGC=50")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	end := ending{exit: cmd.ProcessState.ExitCode(), output: output.String(), hung: ctx.Err() != nil}
	if !end.hung {
		used := readUsage(t, file)
		end.peak, end.took = used.Peak, used.Took
	}
	return end
}

// idles are what the process holds that reads the arguments of an attack, and runs a
// script that does nothing.
type idles struct {
	dragoman
	mu    sync.Mutex
	peaks map[string]int64
}

// growth returns by how many bytes the process of an attack grew at most: beyond the one
// that has no arguments where that is little enough, since the one with the same arguments
// holds no less, and beyond that one otherwise.
func (i *idles) growth(t *testing.T, q attack.Question, end ending) int64 {
	t.Helper()
	used := end.peak - printing*int64(len(end.output))
	if q.Form != attack.Shipped { // an idle one is about the same object there
		bare := q.Idle()
		bare.Operation, bare.Object, bare.Observed, bare.Items, bare.State = string(engine.InterpretStatus), nil, nil, nil, nil
		if growth := used - i.peak(t, bare, "bare"); growth <= q.Growth() {
			return growth
		}
	}
	return used - i.peak(t, q.Idle(), i.key(t, q))
}

// peak returns that of an idle attack; those with the same key share one.
func (i *idles) peak(t *testing.T, idle attack.Question, key string) int64 {
	t.Helper()
	i.mu.Lock()
	peak, known := i.peaks[key]
	i.mu.Unlock()
	if !known {
		peak = i.ask(t, idle).peak
		i.mu.Lock()
		i.peaks[key] = peak
		i.mu.Unlock()
	}
	return peak
}

// key returns a text that differs where the arguments differ.
func (i *idles) key(t *testing.T, q attack.Question) string {
	t.Helper()
	var arguments []any
	for _, fields := range []func() map[string]any{q.Object, q.Observed} {
		if fields != nil {
			arguments = append(arguments, fields())
		}
	}
	if q.Items != nil {
		arguments = append(arguments, q.Items())
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %x", q.Idle().Operation, sha256.Sum256(text))
}

var (
	// located is an error with a line, or of a result, which stands at none, with the
	// script.
	located  = regexp.MustCompile(`(?m)^error: .*(:\d+|attack/[\w/]+\.\w+): `)
	codeLine = regexp.MustCompile(`(?m)^code: (\w+)$`)
)

// code returns the code that the output names, "" where the answer was given.
func (e ending) code() script.Code {
	if found := codeLine.FindStringSubmatch(e.output); found != nil {
		return script.Code(found[1])
	}
	return ""
}

// check returns what is wrong with the end of an attack, or "".
func (e ending) check(q attack.Question) string {
	code := e.code()
	switch {
	case e.hung:
		return "it did not end"
	case e.exit == 0 && (q.Want == attack.Harmless || q.Want == attack.Bounded):
		return ""
	case q.Form == attack.Folder && e.exit == 1:
		return "" // its cases fail, or it is refused
	case e.exit == 2 && q.Want == attack.Bounded && !strings.Contains(e.output, "goroutine "):
		return "" // a file of it is refused
	case e.exit != 1:
		return "the exit code must be 0 for an answer and 1 for the error of a script"
	case !located.MatchString(e.output):
		return "the error names no place"
	case !q.Expects(code):
		return "the code must be " + string(q.Want)
	}
	return ""
}
