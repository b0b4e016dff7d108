// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

// The exit codes of all verbs.
const (
	// ExitGood means that all is well.
	ExitGood = 0
	// ExitFound means that something is wrong in what was given: in a script, a case, a bundle or an object.
	ExitFound = 1
	// ExitFailed means that it could not run: usage, files, a control plane.
	ExitFailed = 2
	// ExitNothing means that nothing ran.
	ExitNothing = 3
)

// exitError ends the command with a code. Without a message, everything was printed
// before.
type exitError struct {
	code    int
	message string
}

// Error returns the message.
func (e *exitError) Error() string { return e.message }

// Exit returns the error that ends the command with a code, and with a message unless everything was
// printed before.
func Exit(code int, message string) error { return &exitError{code, message} }

// Foundf returns the error of something that is wrong in what the user gave.
func Foundf(format string, args ...any) error {
	return Exit(ExitFound, fmt.Sprintf(format, args...))
}

// Nothingf returns the error of a command in which nothing ran.
func Nothingf(format string, args ...any) error {
	return Exit(ExitNothing, fmt.Sprintf(format, args...))
}

// CodeOf returns the exit code of an error.
func CodeOf(err error) int {
	if err == nil {
		return ExitGood
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	for _, e := range source.Flatten(err) {
		if !source.IsFinding(e) {
			return ExitFailed
		}
	}
	return ExitFound
}
