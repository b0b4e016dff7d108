// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"
)

// Limits bound YAML before it is read. What stands behind an alias counts once for each
// alias, as often as it is copied.
type Limits struct {
	// Text is the length in bytes, Documents the number of documents.
	Text, Documents int
	// Values is the number of values, keys included; Bytes is the length of all scalars.
	Values, Bytes int
	// Depth is how deep values may nest.
	Depth int
}

// FileLimits are those of a file that a user names. A file at these limits takes up to
// 0.4 s of CPU and 150 MiB to read.
func FileLimits() Limits {
	return Limits{Text: 8 << 20, Documents: 10_000, Values: 250_000, Bytes: 16 << 20, Depth: 200}
}

// Budget is what files may hold together. It is for one goroutine at a time.
type Budget struct {
	// of names what the files belong to, in messages: "file", "bundle".
	of   string
	file Limits
	// total are the limits of all files together, spent is what was read so far; their
	// Depth has no meaning.
	total, spent Limits
}

// NewBudget returns a budget for files that belong to something, such as a bundle: each
// within the limits file, and all together within the limits total.
func NewBudget(of string, file, total Limits) *Budget {
	return &Budget{of: of, file: file, total: total}
}

// fileBudget returns the budget of one file.
func fileBudget() *Budget { return NewBudget("file", FileLimits(), FileLimits()) }

// scope is a limit, and what it belongs to.
type scope struct {
	most int
	of   string
}

// smaller returns the smaller one of what a file and what all files may still take.
func (b *Budget) smaller(file, total, spent, fileSpent int) (left int, s scope) {
	left, s = file-fileSpent, scope{file, "file"}
	if rest := total - spent; rest < left {
		left, s = rest, scope{total, b.of}
	}
	return left, s
}

// Take takes values and bytes that a reader makes of what it has read, and reports whether there are as
// many left of all files together.
func (b *Budget) Take(values, bytes int) bool {
	if values > b.total.Values-b.spent.Values || bytes > b.total.Bytes-b.spent.Bytes {
		b.spent.Values, b.spent.Bytes = b.total.Values, b.total.Bytes
		return false
	}
	b.spent.Values += values
	b.spent.Bytes += bytes
	return true
}

// SizeOf returns how many values a plain value has, keys included, and the length of its scalars, numbers
// counted as eight bytes.
func SizeOf(value any) (values, bytes int) {
	switch value := value.(type) {
	case map[string]any:
		values = 1
		for key, inner := range value {
			n, size := SizeOf(inner)
			values, bytes = values+1+n, bytes+len(key)+size
		}
		return values, bytes
	case []any:
		values = 1
		for _, inner := range value {
			n, size := SizeOf(inner)
			values, bytes = values+n, bytes+size
		}
		return values, bytes
	case string:
		return 1, len(value)
	}
	return 1, 8
}

// text takes the text of a file from the budget, and refuses one that is no text.
func (b *Budget) text(file string, data []byte) error {
	left, s := b.smaller(b.file.Text, b.total.Text, b.spent.Text, 0)
	if len(data) > left {
		return &Error{File: file, Message: fmt.Sprintf("too much text: at most %d bytes of YAML are read of a %s; split it", s.most, s.of)}
	}
	if i := invalid(data); i >= 0 {
		return &Error{File: file, Line: 1 + bytes.Count(data[:i], []byte("\n")), Message: "not UTF-8; save the file as UTF-8"}
	}
	b.spent.Text += len(data)
	return nil
}

// invalid returns the index of the first byte that is not UTF-8, or -1.
func invalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// ReadFile reads a file of YAML, of which at most FileLimits().Text bytes are kept in
// memory: a longer one is an error.
func ReadFile(fsys fs.FS, name string) ([]byte, error) {
	return ReadAtMost(fsys, name, FileLimits().Text)
}

// ReadAtMost reads a file. One that is longer than most bytes is an *Error.
func ReadAtMost(fsys fs.FS, name string, most int) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, &Error{File: name, Message: fmt.Sprintf("too long: at most %d bytes are read", most)}
	}
	return data, nil
}
