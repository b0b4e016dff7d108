// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

const (
	// maxProblems is how many errors Problems keeps.
	maxProblems = 50
	// maxText bounds the text of Problems in bytes.
	maxText = 4 << 10
	// moreRoom is kept free for the text of More.
	moreRoom = 64
)

// Problems collects errors: it keeps the first 50, and counts the others. The zero value
// has none. As an error it is at most 4 KiB long, whatever it holds, so that it fits into
// one line of a log.
type Problems struct {
	first []error
	more  int
}

// More is the number of errors that Problems did not keep, as an error.
type More int

// Error returns the number.
func (m More) Error() string { return fmt.Sprintf("and %d more problems", int(m)) }

// Add adds an error, and of errors that are joined each by itself; nil adds nothing.
func (p *Problems) Add(errs ...error) {
	for _, err := range errs {
		p.add(err)
	}
}

// AddFrom adds the error that makeError returns. Where it would only be counted it is not
// made: some messages search for the name that was meant.
func (p *Problems) AddFrom(makeError func() error) {
	if len(p.first) == maxProblems {
		p.more++
		return
	}
	p.add(makeError())
}

// joined is the type of what errors.Join returns.
var joined = reflect.TypeOf(errors.Join(errors.New("")))

func (p *Problems) add(err error) {
	if err == nil {
		return
	}
	if more, ok := err.(More); ok { //nolint:errorlint // one that is wrapped is another error
		p.more += int(more)
		return
	}
	several, ok := err.(interface{ Unwrap() []error })
	if _, same := err.(*Problems); ok && (same || reflect.TypeOf(err) == joined) { //nolint:errorlint // as above
		p.Add(several.Unwrap()...)
		return
	}
	if len(p.first) == maxProblems {
		p.more++
		return
	}
	p.first = append(p.first, err)
}

// Err returns the errors as one: nil for none, the error itself for one, and p for
// several.
func (p *Problems) Err() error {
	switch {
	case len(p.first) == 0 && p.more == 0:
		return nil
	case len(p.first) == 1 && p.more == 0:
		return p.first[0]
	}
	return p
}

// Unwrap returns the errors that were kept, and if there are others, a More at the end.
func (p *Problems) Unwrap() []error {
	if p.more == 0 {
		return p.first
	}
	return append(p.first[:len(p.first):len(p.first)], More(p.more))
}

// Error returns a line for each error, as many as fit, and the number of the others.
func (p *Problems) Error() string {
	var b strings.Builder
	shown := 0
	for _, err := range p.first {
		line := diag.Clip(err.Error())
		if b.Len()+len(line)+moreRoom > maxText {
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
		shown++
	}
	if hidden := len(p.first) - shown + p.more; hidden > 0 {
		return b.String() + More(hidden).Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Summary returns an error as Problems returns it: nil for nil, and at most 4 KiB long
// otherwise. What errors.As and errors.Is find in it is what they find in the first 50
// errors that err joins.
func Summary(err error) error {
	var p Problems
	p.Add(err)
	if len(p.first) == 1 && p.more == 0 && len(p.first[0].Error()) > maxText {
		return &p
	}
	return p.Err()
}

// maxName is how many bytes of an unknown name are looked at and shown.
const maxName = 64

// Unknown is script.Unknown for a name of any length. To find the name that was meant
// takes the product of two lengths for each name that is known.
func Unknown(what, name string, known []string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "..."
	}
	return diag.Clip(script.Unknown(what, name, known))
}
