// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

var (
	// prelude stands before each program: answer prints what a statement returned.
	//go:embed prelude.lua
	prelude string
	// driver runs programs in the reference.
	//go:embed driver.lua
	driver string
)

// mark stands between programs, and between their outputs.
const mark = "--==\n"

// program is a list of statements, each a body of a function whose results are compared.
type program []string

// source returns the program as Lua; it prints a line for each statement.
func (p program) source() string {
	var b strings.Builder
	b.WriteString(prelude)
	b.WriteString("function ReflectStatus()\n")
	for _, s := range p {
		b.WriteString("answer(pcall(function() " + s + " end))\n")
	}
	b.WriteString("end\n")
	return b.String()
}

// reference returns the lines that Lua 5.1.5 prints for each program.
func reference(lua string, programs []program) ([][]string, error) {
	if _, err := exec.LookPath(lua); err != nil {
		return nil, fmt.Errorf("the reference %s is missing; it is Lua 5.1.5, the package lua5.1 of Debian and Ubuntu (apt-get install lua5.1): %w", lua, err)
	}
	folder, err := os.MkdirTemp("", "differential")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var sources strings.Builder
	for _, p := range programs {
		sources.WriteString(p.source() + mark)
	}
	files := map[string]string{"driver.lua": driver, "programs.lua": sources.String()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(lua, filepath.Join(folder, "driver.lua"), filepath.Join(folder, "programs.lua"))
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", lua, err, stderr.String())
	}
	var outputs [][]string
	for output := range strings.SplitSeq(strings.TrimPrefix(stdout.String(), mark), mark) {
		outputs = append(outputs, strings.Split(strings.TrimSuffix(output, "\n"), "\n"))
	}
	if len(outputs) != len(programs) {
		return nil, fmt.Errorf("%s answered %d of %d programs", lua, len(outputs), len(programs))
	}
	return outputs, nil
}

// now is the time of the runs in the engine; no program asks for it.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// engineOutput returns the lines that the engine prints for each program.
func engineOutput(programs []program) ([][]string, error) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	outputs := make([][]string, len(programs))
	for i, p := range programs {
		outputs[i] = execute(compiler, p)
	}
	return outputs, nil
}

// execute runs one program in the engine. An error is the last line.
func execute(compiler *engine.Compiler, p program) (lines []string) {
	compiled, err := compiler.Lua(engine.Script{File: "program.lua", Text: p.source(), Operation: engine.InterpretStatus})
	if err != nil {
		return []string{"syntax: " + err.Error()}
	}
	call := &script.Call{
		Entry: "ReflectStatus", Now: now, Print: func(_ script.Position, line string) { lines = append(lines, line) },
		Limits: script.Limits{Gas: 10_000_000, Memory: 256 << 20},
	}
	if _, err := compiled.Run(call, ignored{}); err != nil {
		var failed *script.Error
		if !errors.As(err, &failed) {
			return append(lines, err.Error())
		}
		return append(lines, "stopped: "+failed.Error())
	}
	return lines
}

// ignored takes the results of a run for nothing.
type ignored struct{}

func (ignored) Decode([]any, script.Meter) error { return nil }
