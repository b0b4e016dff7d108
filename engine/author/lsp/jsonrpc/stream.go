// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxHeader bounds a line of a header, and maxFields their number.
	maxHeader = 4 << 10
	maxFields = 32
	// maxContent bounds the document of a message: an editor sends texts of files, of which the
	// engine takes at most some megabytes.
	maxContent = 64 << 20
)

// Reader reads messages. It is for one goroutine.
type Reader struct{ in *bufio.Reader }

// NewReader returns a reader of a stream.
func NewReader(in io.Reader) *Reader { return &Reader{bufio.NewReaderSize(in, maxHeader)} }

// Read returns the next message. io.EOF is the end between two messages, and an *Error is that of
// Parse, behind which reading goes on; after any other error it cannot.
func (r *Reader) Read() (*Message, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if n, err := io.CopyN(&data, r.in, int64(length)); err != nil {
		return nil, fmt.Errorf("read a message of %d bytes: the stream ends after %d: %w", length, n, io.ErrUnexpectedEOF)
	}
	return Parse(data.Bytes())
}

// header reads the header of a message, and returns the length of its document.
func (r *Reader) header() (int, error) {
	length := -1
	for i := range maxFields {
		line, err := r.in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && i == 0 && len(line) == 0:
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			return 0, fmt.Errorf("read the header of a message: %w", io.ErrUnexpectedEOF)
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, fmt.Errorf("read the header of a message: a line of more than %d bytes", maxHeader)
		case err != nil:
			return 0, fmt.Errorf("read the header of a message: %w", err)
		}
		field := strings.TrimRight(string(line), "\r\n")
		if field == "" && length < 0 {
			return 0, errors.New("read the header of a message: it has no Content-Length")
		}
		if field == "" {
			return length, nil
		}
		if err := readField(field, &length); err != nil {
			return 0, fmt.Errorf("read the header of a message: %w", err)
		}
	}
	return 0, fmt.Errorf("read the header of a message: more than %d fields", maxFields)
}

// readField reads a line of a header. Unknown fields are ignored.
func readField(line string, length *int) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return fmt.Errorf("%.80q is no field; want Content-Length: and a number", line)
	}
	value = strings.TrimSpace(value)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return fmt.Errorf("Content-Length %.80q: want a number of bytes", value)
		}
		if n > maxContent {
			return fmt.Errorf("Content-Length %d: want at most %d bytes", n, maxContent)
		}
		*length = int(n)
	case "content-type":
		_, params, err := mime.ParseMediaType(value)
		if charset := strings.ToLower(params["charset"]); err == nil && charset != "" && charset != "utf-8" && charset != "utf8" {
			return fmt.Errorf("Content-Type: the charset is %.80q; want utf-8", charset)
		}
	}
	return nil
}

// Writer writes messages. It is safe for many goroutines.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWriter returns a writer of a stream.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes a message in one piece.
func (w *Writer) Write(m *Message) error {
	data, err := Format(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(data)), data...))
	return err
}
