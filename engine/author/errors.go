// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// IsFinding reports whether an error is about the content of a script, a case, a bundle
// or a customization. Any other error, such as that of a missing file, kept the content
// from being read. It looks at the error itself, not at those that it joins.
func IsFinding(err error) bool {
	var (
		failure *script.Error
		place   *yamldoc.Error
		field   *engine.FieldError
		more    yamldoc.More
	)
	return errors.As(err, &more) || errors.As(err, &failure) || errors.As(err, &place) || errors.As(err, &field)
}

// Flatten returns the errors that an error joins, none for nil.
func Flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Flatten(e)...)
	}
	return all
}

// placeOf returns the file and the line that an error is about, "" and 0 where it names none.
func placeOf(err error) (file string, line int) {
	var (
		place   *yamldoc.Error
		failure *script.Error
	)
	switch {
	case errors.As(err, &place):
		return place.File, place.Line
	case errors.As(err, &failure):
		return failure.File, failure.Line
	}
	return "", 0
}
