// SPDX-License-Identifier: Apache-2.0

// Command fuzz runs the native fuzz targets of the module, one after the other, each for
// a while. It reports for each how many inputs it tried, what it found and how much
// memory it held, continues after a finding, and fails in the end if there was one.
//
//	go run ./test/fuzz -each 10m -run 'engine/internal/lua FuzzRun|Pattern'
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// mostMemory is what a process may hold while it fuzzes, in bytes. The fuzzing itself
// takes some 200 MiB.
const mostMemory = 1 << 30

// minimizeTime is how long an input is made smaller. The default of a minute takes nearly
// all the time of a target whose inputs are long.
const minimizeTime = "2s"

func main() {
	o := options{}
	flag.DurationVar(&o.each, "each", 30*time.Second, "time for each target")
	flag.IntVar(&o.parallel, "parallel", 1, "processes for each target")
	pattern := flag.String("run", "", "only targets whose package and name, as engine/internal/lua FuzzRun, match this expression")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*pattern); err == nil {
		err = o.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	each     time.Duration
	parallel int
	only     *regexp.Regexp
	// binaries is a folder for the test programs.
	binaries string
}

func (o options) run() error {
	var err error
	if o.binaries, err = os.MkdirTemp("", "fuzz"); err != nil {
		return err
	}
	defer os.RemoveAll(o.binaries)
	targets, err := o.targets()
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return errors.New("there is no such fuzz target")
	}
	var found []string
	for _, t := range targets {
		clean, err := o.fuzz(t)
		if err != nil {
			return err
		}
		if !clean {
			found = append(found, t.String())
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("findings in %s; their inputs are kept in testdata/fuzz of the package", strings.Join(found, ", "))
	}
	return nil
}

// target is one fuzz target.
type target struct {
	// name is that of its function, path that of its package within the module.
	name, path string
	// dir is the folder of the package, cache where its inputs are kept between runs.
	dir, cache string
}

// String returns package and name.
func (t target) String() string { return t.path + " " + t.name }

// lineFormat makes go list print the path, the module and the folder of each package with
// tests.
const lineFormat = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Module.Path}} {{.Dir}}{{end}}`

var function = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targets lists the chosen targets by package.
func (o options) targets() ([]target, error) {
	list, err := exec.Command("go", "list", "-f", lineFormat, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the cache: %w", err)
	}
	var targets []target
	for line := range strings.Lines(string(list)) {
		var pkg, module, dir string
		if _, err := fmt.Sscan(line, &pkg, &module, &dir); err != nil {
			return nil, fmt.Errorf("read %q of go list: %w", line, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, m := range function.FindAllSubmatch(text, -1) {
				t := target{string(m[1]), strings.TrimPrefix(pkg, module+"/"), dir, filepath.Join(strings.TrimSpace(string(cache)), "fuzz", pkg)}
				if o.only.MatchString(t.String()) {
					targets = append(targets, t)
				}
			}
		}
	}
	return targets, nil
}

// fuzz runs one target and returns a line about it; it is not clean if it found
// something.
func (o options) fuzz(t target) (clean bool, err error) {
	binary, err := o.build(t)
	if err != nil {
		return false, fmt.Errorf("build the tests of %s: %w", t.path, err)
	}
	fmt.Printf("%s: ", t)
	cmd := exec.Command(binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+o.each.String(),
		"-test.fuzzminimizetime="+minimizeTime, fmt.Sprintf("-test.parallel=%d", o.parallel), "-test.fuzzcachedir="+t.cache)
	cmd.Dir = t.dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err = cmd.Run()
	memory := peak(cmd)
	if late.MatchString(output.String()) {
		err = nil
	}
	switch {
	case err != nil:
		fmt.Printf("a finding after %s, %d MiB\n%s", tried(output.String()), memory>>20, output.String())
	case memory > mostMemory:
		fmt.Printf("too much memory, %d MiB, after %s\n", memory>>20, tried(output.String()))
	default:
		fmt.Printf("no finding in %s, %d MiB\n", tried(output.String()), memory>>20)
	}
	return err == nil && memory <= mostMemory, nil
}

// late is how a target sometimes ends whose time was over in the middle of an input: it
// is no finding.
var late = regexp.MustCompile(`(?m)^--- FAIL: \S+ \(.*\)\n\s+context deadline exceeded\nFAIL`)

// build returns the test program of a target's package, made for fuzzing.
func (o options) build(t target) (string, error) {
	binary := filepath.Join(o.binaries, strings.ReplaceAll(t.path, "/", "-")+".test")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	cmd := exec.Command("go", "test", "-c", "-fuzz=Fuzz", "-o", binary, ".")
	cmd.Dir = t.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

var progress = regexp.MustCompile(`execs: (\d+)[^,]*, new interesting: (\d+)`)

// tried returns the number of inputs in the last line of progress.
func tried(output string) string {
	all := progress.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return "no inputs"
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%s inputs, %s of them new", last[1], cmp.Or(last[2], "0"))
}

// peak is the most memory that one of the processes of cmd held, in bytes.
func peak(cmd *exec.Cmd) int64 {
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
