// SPDX-License-Identifier: Apache-2.0

package script

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
)

// MaxFrames is how many calls a stack of Go has, the innermost ones.
const MaxFrames = 40

// ownModule is what the names of our own functions begin with; it is left out.
const ownModule = "github.com/dragoman-io/dragoman/"

// Recover turns a panic into an error. It is deferred by what reads or tries what users wrote, so that a defect
// there refuses one of their files and ends neither the process nor what others wait for.
//
// The error is an *Error of code Internal at a place, which may be empty: what was being done stopped by a defect,
// what the panic is, and the function that panicked. Its Trace has the calls of Go. Without a panic err stays.
func Recover(err *error, at Position, doing string) {
	if r := recover(); r != nil {
		e := &Error{Code: Internal, Position: at, Trace: PanicStack()}
		e.Message = diag.Clip(fmt.Sprintf("%s stopped by a defect of dragoman: %v", doing, r))
		if len(e.Trace) > 0 {
			e.Message += " (at " + e.Trace[0].Position.String() + " in " + e.Trace[0].Function + ")"
		}
		*err = e
	}
}

// PanicStack returns the calls that a panic unwinds, innermost first, at most MaxFrames. It must be called by the
// function that recovers.
func PanicStack() []Frame {
	var callers [MaxFrames]uintptr
	more := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	var frames []Frame
	for {
		f, next := more.Next()
		// Those in front are of the panic itself.
		if len(frames) > 0 || !strings.HasPrefix(f.Function, "runtime.") {
			frames = append(frames, FrameOf(f.Function, path.Base(f.File), f.Line))
		}
		if !next {
			return frames
		}
	}
}

// FrameOf returns a call of a function of Go, whose name is that within this module.
func FrameOf(function, file string, line int) Frame {
	return Frame{Position: Position{File: file, Line: line}, Function: strings.TrimPrefix(function, ownModule)}
}
