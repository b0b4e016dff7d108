// SPDX-License-Identifier: Apache-2.0

// Package verb has what all verbs of dragoman share: the streams of a command and how it is run, exit
// codes, what a flag or an argument names as input, how files are written, the bundles that answer, and
// completion. It knows no verb.
package verb

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/printable"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Streams are where a command reads and writes. A terminal obeys nothing that is written to Out and
// Err, whoever it is from: package printable makes it visible.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// Raw is what Out writes to. It is for what must stay byte by byte, and is no text for people: the
	// messages of a protocol, and the codes by which this program itself moves a cursor.
	Raw io.Writer
}

// Execute runs the command that newCommand returns with arguments, and returns the exit code. Out and Err
// of the streams need no care for what is written to them, and Raw is set here.
func Execute(streams Streams, args []string, newCommand func(Streams) *cobra.Command) int {
	raw := &checkedWriter{Writer: streams.Out}
	out, errs := printable.NewWriter(raw), printable.NewWriter(streams.Err)
	streams.Out, streams.Err, streams.Raw = out, errs, raw
	command := newCommand(streams)
	command.SetArgs(args)
	err := runCommand(command)
	_ = out.Flush() // raw keeps the error
	if raw.err != nil {
		err = fmt.Errorf("write the output: %w", raw.err)
	}
	author.Printer{Out: errs}.Errors(err)
	_ = errs.Flush() // an error of stderr can be told nowhere
	return CodeOf(err)
}

// runCommand runs a command. A panic is an error, which has no calls of Go: whoever meets it can do nothing with them.
func runCommand(command *cobra.Command) (err error) {
	defer script.Recover(&err, script.Position{}, "the command")
	return command.Execute()
}

// WriteYAML prints YAML documents, of which no value changes by what is made visible.
func (s Streams) WriteYAML(documents []byte) error {
	_, err := s.Out.Write(printable.YAML(documents))
	return err
}

// checkedWriter keeps the first error of a writer: what was printed in part must not pass
// for the whole.
type checkedWriter struct {
	io.Writer
	err error
}

// Write writes to the writer.
func (w *checkedWriter) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	if w.err == nil {
		w.err = err
	}
	return n, err
}
