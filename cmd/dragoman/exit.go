// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/dragoman-io/dragoman/engine/author"
)

// The exit codes of all verbs.
const (
	exitGood    = 0
	exitFound   = 1 // something is wrong in a script, a case or a bundle
	exitFailed  = 2 // it could not run: usage, files
	exitNothing = 3 // nothing ran
)

// exitError ends the command with a code. Without a message, everything was printed
// before.
type exitError struct {
	code    int
	message string
}

// Error returns the message.
func (e *exitError) Error() string { return e.message }

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	if err == nil {
		return exitGood
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	for _, e := range author.Flatten(err) {
		if !author.IsFinding(e) {
			return exitFailed
		}
	}
	return exitFound
}
