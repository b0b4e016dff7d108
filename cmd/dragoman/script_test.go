// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dragoman": main, "kubectl-dragoman": main, "full": full})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Condition:     exists,
		Setup: func(e *testscript.Env) error {
			e.Setenv("ESC", "\x1b[2J")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "repeat": repeat, "registry": startRegistry, "login": login, "mode": mode, "firstline": firstLine, "samples": samples, "serve": serveObject,
			"listen": listen, "controls": controls, "web": serveFiles, "answer": serveAnswers,
		},
	})
}

// exits runs a command, and checks its exit code and that it prints nothing that a terminal obeys:
// exits 2 dragoman eval --bogus. What lsp prints is for an editor.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d; want %d", got, want)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if text := ts.ReadFile(stream); printable.Text(text) != text && !slices.Contains(args, "lsp") {
			ts.Fatalf("a terminal would obey %s: %q", stream, text)
		}
	}
}

// controls puts control characters into files, in the place of their names: controls FILE...
func controls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: controls FILE...")
	}
	named := strings.NewReplacer("<ESC>", "\x1b[2J", "<BEL>", "\a", "<C1>", "\u009b2J", "<RLO>", "\u202e", "<LS>", "\u2028", "<CR>", "\r", "<DEL>", "\x7f", "<BAD>", "\x9b")
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(named.Replace(ts.ReadFile(file))), 0o600))
	}
}

// repeat writes the text of a file several times into another one: repeat 100 FROM TO.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat TIMES FROM TO")
	}
	times, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := strings.Repeat(ts.ReadFile(args[1]), times)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o600))
}

// listen takes a free port of 127.0.0.1 until the script ends, and sets a variable to it: listen PORT.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listen VARIABLE")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// full runs a command whose stdout is a full device, and exits with its exit code.
func full() {
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	c := exec.Command(os.Args[1], os.Args[2:]...)
	c.Stdout, c.Stderr = out, os.Stderr
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		panic(err)
	}
}

// exists is the condition that a file of the machine exists: [exists:/dev/full].
func exists(condition string) (bool, error) {
	file, ok := strings.CutPrefix(condition, "exists:")
	if !ok {
		return false, fmt.Errorf("unknown condition %s", condition)
	}
	_, err := os.Stat(file)
	return err == nil, nil
}
