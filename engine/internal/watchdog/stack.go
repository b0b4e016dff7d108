// SPDX-License-Identifier: Apache-2.0

package watchdog

import (
	"bytes"
	"context"
	"path"
	"runtime/pprof"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// key is the profiler label of the goroutines of workers.
const key = "engine.worker"

func labelOf(number uint64) string { return strconv.FormatUint(number, 10) }

// setLabel labels this goroutine, so that its stack can be found.
func setLabel(label string) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(key, label)))
}

// stackOf returns the calls under way in the goroutine with a label, innermost first; nil
// if there is none. It reads the goroutine profile, whose entries are the stacks of equal
// goroutines, each with a line of labels and a line for each call, with a blank line after.
func stackOf(label string) []script.Frame {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return nil
	}
	wanted := `"` + key + `":"` + label + `"`
	for entry := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(entry, wanted) {
			return framesOf(entry)
		}
	}
	return nil
}

// framesOf returns the calls of an entry of a goroutine profile. Each has its line: a
// number sign, the address, function+offset, and file:line, between tabs.
func framesOf(entry string) []script.Frame {
	var frames []script.Frame
	for line := range strings.Lines(entry) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 4 || fields[0] != "#" || len(frames) == script.MaxFrames {
			continue
		}
		function, place := fields[2], fields[len(fields)-1]
		if at := strings.LastIndex(function, "+0x"); at >= 0 {
			function = function[:at]
		}
		file, number, _ := strings.Cut(path.Base(place), ":")
		lineNumber, _ := strconv.Atoi(number)
		frames = append(frames, script.FrameOf(function, file, lineNumber))
	}
	return frames
}
