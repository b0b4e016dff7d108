// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// texts are the functions on texts that are done here, since those of cel-go take time or
// memory that depends on more than the length of their arguments.
var texts = map[string]textFunction{
	"contains":      {2, contains},
	"replace":       {3, replace},
	"split":         {2, split},
	"strings.quote": {1, quote},
}

// textFunction takes a number of texts, and a whole number behind them: the most that it
// does.
type textFunction struct {
	texts int
	do    func(r *run, s []string, most int) ref.Val
}

// text is the work of one of texts.
func (c *call) text(f textFunction) work {
	return func(r *run, args []ref.Val) ref.Val {
		var s [3]string
		most := math.MaxInt
		if len(args) < f.texts {
			return c.mismatch(args)
		}
		for i, a := range args {
			switch x := a.(type) {
			case types.String:
				if i >= f.texts {
					return c.mismatch(args)
				}
				s[i] = string(x)
				r.charge(int64(len(x)) / gasBytes)
			case types.Int:
				if i != f.texts {
					return c.mismatch(args)
				}
				if x >= 0 && x < math.MaxInt32 {
					most = int(x)
				}
			default:
				return c.mismatch(args)
			}
		}
		return f.do(r, s[:f.texts], most)
	}
}

// contains is s.contains(sought).
func contains(r *run, s []string, _ int) ref.Val {
	return types.Bool(r.find(s[1]).in(s[0]) >= 0)
}

// replace is s.replace(old, new[, most]).
func replace(r *run, s []string, most int) ref.Val {
	text, old, with := s[0], s[1], s[2]
	if old == "" {
		n := min(utf8.RuneCountInString(text)+1, most)
		r.text(sum(int64(len(text)), product(int64(n), int64(len(with)))))
		r.charge(int64(n) / 8)
		return types.String(strings.Replace(text, "", with, n))
	}
	f := r.find(old)
	n := f.count(text, most)
	if n == 0 {
		return types.String(text)
	}
	made := sum(int64(len(text)-n*len(old)), product(int64(n), int64(len(with))))
	r.text(made)
	r.charge(int64(n) / 8)
	var b strings.Builder
	b.Grow(int(made))
	for range n {
		at := f.in(text)
		b.WriteString(text[:at])
		b.WriteString(with)
		text = text[at+len(old):]
	}
	b.WriteString(text)
	return types.String(b.String())
}

// split is s.split(separator[, most]).
func split(r *run, s []string, most int) ref.Val {
	text, separator := s[0], s[1]
	var parts []string
	switch {
	case most == 0:
	case separator == "":
		n := min(utf8.RuneCountInString(text), most)
		r.list(int64(2 * n))
		parts = strings.SplitN(text, "", n)
	default:
		f := r.find(separator)
		n := f.count(text, most-1)
		r.list(int64(2 * (n + 1)))
		parts = make([]string, 0, n+1)
		for range n {
			at := f.in(text)
			parts = append(parts, text[:at])
			text = text[at+len(separator):]
		}
		parts = append(parts, text)
	}
	return types.DefaultTypeAdapter.NativeToValue(parts)
}

// quote is strings.quote(s).
func quote(r *run, s []string, _ int) ref.Val {
	n := 2
	for _, c := range s[0] {
		if n += utf8.RuneLen(c); escape(c) != 0 {
			n++
		}
	}
	r.charge(int64(len(s[0])) / 16)
	r.text(int64(n))
	var b strings.Builder
	b.Grow(n)
	b.WriteByte('"')
	for _, c := range s[0] {
		if letter := escape(c); letter != 0 {
			b.WriteByte('\\')
			b.WriteByte(letter)
		} else {
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return types.String(b.String())
}

// escape returns what stands behind the backslash of a character that is escaped, else 0.
func escape(c rune) byte {
	const from, to = "\a\b\f\n\r\t\v\\\"", "abfnrtv\\\""
	if c >= utf8.RuneSelf {
		return 0
	}
	if i := strings.IndexByte(from, byte(c)); i >= 0 {
		return to[i]
	}
	return 0
}
