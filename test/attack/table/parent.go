// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/attack/measure"
)

const (
	// patience is how much processor time an attack may take before it counts as hung, and
	// lull how long it may take by the clock.
	patience = 5 * time.Second
	lull     = 5 * time.Minute
	// limited starts the command after it in a process that may have 1 GiB of its own.
	limited = `ulimit -d 1048576 && exec "$@"`
	// tries is how often an attack near its bound is run again: the least counts.
	tries = 4
)

// row is an attack with what it took.
type row struct {
	attack attack.Question
	measure.Figures
	// ended is how the process ended: "", hung or died.
	ended string
}

// wrong returns what the attack did beyond its bounds, or "".
func (r row) wrong() string {
	if r.ended != "" {
		return r.ended
	}
	return r.Within(r.attack)
}

// slow reports whether the attack took more time than it may.
func (r row) slow() bool { return r.share() > 1 }

// measured runs the attacks whose name matches.
func measured(only *regexp.Regexp) ([]row, error) {
	var rows []row
	p := &process{}
	defer p.stop()
	for _, q := range attack.All() {
		if !only.MatchString(q.Name) {
			continue
		}
		r, err := p.least(q)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
		if wrong := r.wrong(); wrong != "" {
			fmt.Fprintf(os.Stderr, "%s: %s\n", r.Name, wrong)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("no attack has such a name")
	}
	return rows, nil
}

// process is a child that runs attacks.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
	log   bytes.Buffer
}

// least runs an attack, again where it took a little too long: other work on the machine
// makes it slower, and never quicker.
func (p *process) least(q attack.Question) (row, error) {
	best, err := p.run(q)
	for range tries {
		if err != nil || best.ended != "" || !best.slow() || best.Compile.CPU+best.Run.CPU > time.Second {
			return best, err
		}
		var again row
		if again, err = p.run(q); again.ended == "" && again.Compile.CPU+again.Run.CPU < best.Compile.CPU+best.Run.CPU {
			best = again
		}
	}
	return best, err
}

func (p *process) run(q attack.Question) (row, error) {
	r := row{attack: q, Figures: measure.Figures{Name: q.Name}}
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return r, err
		}
	}
	if _, err := fmt.Fprintln(p.in, q.Name); err != nil {
		return r, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	began, most := time.Now(), cpuOf(p.cmd.Process.Pid)+patience
	for {
		select {
		case line, ok := <-p.lines:
			if ok {
				return r, json.Unmarshal(line, &r.Figures)
			}
			return p.died(r)
		case <-tick.C:
			if cpuOf(p.cmd.Process.Pid) > most || time.Since(began) > lull {
				p.stop()
				r.ended = "hung"
				return r, nil
			}
		}
	}
}

// died returns the row of an attack that ended the process.
func (p *process) died(r row) (row, error) {
	p.stop()
	r.ended, r.Message = "died", p.log.String()
	if strings.HasPrefix(r.Message, "error: ") {
		return r, errors.New(r.Message)
	}
	return r, nil
}

// cpuOf returns the processor time that a process took.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The fields behind the name, which is in brackets, begin with the state; 11 further
	// are the times in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func (p *process) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.log.Reset()
	p.cmd = exec.Command("sh", "-c", limited, "sh", self, "-child")
	p.cmd.Stderr = &p.log
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.lines = make(chan []byte)
	go read(out, p.lines)
	return p.cmd.Start()
}

// read sends each line, and closes the channel at the end.
func read(from io.Reader, lines chan<- []byte) {
	defer close(lines)
	s := bufio.NewScanner(from)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		lines <- bytes.Clone(s.Bytes())
	}
}

// stop ends the child.
func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	for range p.lines { // until its output ends
	}
	_ = p.cmd.Wait()
	p.cmd = nil
}
