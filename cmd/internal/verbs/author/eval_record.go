// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/recording"
	"github.com/dragoman-io/dragoman/engine/script"
)

// defaultSteps is how many lines a trace has by default.
const defaultSteps = 1000

// runRecord is what is known of one run.
type runRecord struct {
	trace   *recording.Trace
	profile *recording.GasProfile
}

// evalRecorder records what the scripts of eval do, where that is asked for.
type evalRecorder struct {
	runRecord
	traced   bool
	profiled bool
	steps    int
	sort     string
	file     string

	kept  *script.Recording
	pprof recording.Pprof
}

func (r *evalRecorder) setFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&r.traced, "trace", false, "show on stderr each line that ran and what changed on it; with -o json it is a field of the answer")
	f.IntVar(&r.steps, "trace-steps", defaultSteps, "how many lines --trace shows at most")
	f.BoolVar(&r.profiled, "profile", false, "show on stderr the gas of each line; with -o json it is a field of the answer")
	f.StringVar(&r.sort, "sort", "line", "order of --profile: line or gas")
	f.StringVar(&r.file, "profile-out", "", "write the gas of each line to this file, for go tool pprof")
}

// check returns what is wrong with the flags.
func (r *evalRecorder) check(given func(flag string) bool) error {
	switch {
	case given("sort") && !r.profiled:
		return errors.New("--sort is the order of --profile, which is not given")
	case given("trace-steps") && !r.traced:
		return errors.New("--trace-steps bounds --trace, which is not given")
	case r.sort != "line" && r.sort != "gas":
		return fmt.Errorf("sort %q: want line or gas", r.sort)
	case r.steps < 1:
		return errors.New("trace-steps: want a number from 1 on")
	}
	if r.traced || r.profiled || r.file != "" {
		r.kept = script.NewRecording(0)
	}
	if r.traced {
		r.kept = script.NewRecording(r.steps)
	}
	return nil
}

// recording returns what scripts are compiled with; nil where nothing is recorded.
func (r *evalRecorder) recording() *script.Recording { return r.kept }

// startRun forgets what ran before, such as when the scripts were loaded.
func (r *evalRecorder) startRun() {
	r.runRecord = runRecord{}
	if r.kept != nil {
		r.kept.Reset()
	}
}

// endRun keeps what is known of the run.
func (r *evalRecorder) endRun() {
	if r.traced {
		trace := recording.TraceOf(r.kept)
		r.trace = &trace
	}
	if r.profiled {
		profile := recording.ProfileOf(r.kept)
		if r.sort == "gas" {
			profile.SortByGas()
		}
		r.profile = &profile
	}
	if r.file != "" {
		r.pprof.Add(r.kept)
	}
}

// addTo adds what is known of the run to an answer. No result has one of these names.
func (r runRecord) addTo(answer map[string]any) {
	if r.trace != nil {
		answer["trace"] = r.trace
	}
	if r.profile != nil {
		answer["profile"] = r.profile
	}
}

// print writes what is known of the run for people.
func (r runRecord) print(w io.Writer, q engine.Request) {
	of := fmt.Sprintf("%s of %s %s", q.Operation, q.Object.GetKind(), q.Object.GetName())
	if r.trace != nil {
		fmt.Fprintf(w, "trace of %s:\n", of)
		_ = r.trace.WriteText(w)
	}
	if r.profile != nil {
		fmt.Fprintf(w, "gas of %s:\n", of)
		_ = r.profile.WriteText(w)
	}
}

// write writes the file for pprof, where something ran.
func (r *evalRecorder) write() error {
	if r.file == "" || r.pprof.Empty() {
		return nil
	}
	var data bytes.Buffer
	if err := r.pprof.Write(&data); err != nil {
		return fmt.Errorf("write %s: %w", r.file, err)
	}
	return verb.WriteFile(r.file, data.Bytes(), 0o644)
}
