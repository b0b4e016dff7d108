// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/engine/yamldoc"
)

// The exit codes of all verbs.
const (
	exitGood    = 0
	exitFound   = 1 // something is wrong in a script, a case or a bundle
	exitFailed  = 2 // it could not run: usage, files
	exitNothing = 3 // nothing ran
)

// exitError ends the command with a code. Without a message all was said before.
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
	for _, e := range flat(err) {
		if !isFinding(e) {
			return exitFailed
		}
	}
	return exitFound
}

// isFinding reports whether an error is about the content of what the command was given: of
// a script, a case, a bundle or a customization.
func isFinding(err error) bool {
	var (
		failure *script.Error
		place   *yamldoc.Error
		field   *engine.FieldError
	)
	return errors.As(err, &failure) || errors.As(err, &place) || errors.As(err, &field)
}

// flat returns the errors that an error joins.
func flat(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flat(e)...)
	}
	return all
}
