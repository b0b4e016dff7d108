// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
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
	program := filepath.Join(t.TempDir(), "dragoman")
	cmd := exec.Command("go", "build", "-o", program, "github.com/dragoman-io/dragoman/cmd/dragoman")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build dragoman: %v\n%s", err, out)
	}
	return dragoman(program)
}

// write writes a file of JSON that lasts as long as the test.
func write(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// object writes the object that a script of the language finds, with armed set: a
// customization is tried on an object without it before it answers.
func object(t *testing.T, fields map[string]any) string {
	t.Helper()
	fields["apiVersion"], fields["kind"] = "attack.example/v1", "Victim"
	fields["metadata"] = map[string]any{"name": "a", "namespace": "b"}
	fields["armed"] = true
	return write(t, fields)
}

// customization writes one with a script for InterpretStatus.
func customization(t *testing.T, rule map[string]any) string {
	t.Helper()
	return write(t, map[string]any{
		"apiVersion": "config.karmada.io/v1alpha1",
		"kind":       "ResourceInterpreterCustomization",
		"metadata":   map[string]any{"name": "attack"},
		"spec": map[string]any{
			"target":         map[string]any{"apiVersion": "attack.example/v1", "kind": "Victim"},
			"customizations": map[string]any{"statusReflection": rule},
		},
	})
}

// ending is how a process ended.
type ending struct {
	exit   int
	output string
	// peak is the most memory that it held, in bytes.
	peak int64
	took time.Duration
}

func (d dragoman) eval(t *testing.T, object, customization string) ending {
	t.Helper()
	cmd := exec.Command("sh", "-c", limited, "sh", string(d),
		"eval", "-f", object, "--operation", "InterpretStatus", "--customization", customization, "-o", "json")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return ending{
		exit: cmd.ProcessState.ExitCode(), output: output.String(), peak: usage.Maxrss << 10,
		took: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
}

var (
	// located is an error with a line, or of a result, which stands at none, with the
	// script.
	located  = regexp.MustCompile(`(?m)^error: .*(:\d+|attack/statusReflection\.\w+): `)
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
func (e ending) check(a attack.Attack) string {
	code := e.code()
	switch {
	case e.exit == 0 && a.Want == attack.Harmless:
		return ""
	case e.exit != 1:
		return "the exit code must be 0 for an answer and 1 for the error of a script"
	case !located.MatchString(e.output):
		return "the error names no place"
	case code == script.Result && a.Want == attack.Harmless:
		return "" // its answer is no status
	case !a.Expects(code):
		return "the code must be " + string(a.Want)
	}
	return ""
}
