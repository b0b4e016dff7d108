// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// texts are the functions on texts that are done here, since those of cel-go take time or
// memory that depends on more than the length of their arguments. They get texts alone,
// and whole numbers behind them.
var texts = map[string]func(r *run, s []string, n int) ref.Val{
	"contains":      contains,
	"replace":       replace,
	"split":         split,
	"strings.quote": quote,
}

// text is the work of one of texts. With arguments of other types it is that of cel-go,
// which refuses them.
func (c *call) text(impl *functions.Overload, do func(*run, []string, int) ref.Val) work {
	return func(r *run, args []ref.Val) ref.Val {
		var s [3]string
		most, at := math.MaxInt, 0
		for _, a := range args {
			switch x := a.(type) {
			case types.String:
				s[at] = string(x)
				at++
			case types.Int:
				if x >= 0 && x < math.MaxInt32 {
					most = int(x)
				}
			default:
				return c.invoke(impl, args)
			}
		}
		for _, x := range s[:at] {
			r.charge(int64(len(x)) / gasBytes)
		}
		return do(r, s[:at], most)
	}
}

// contains is s.contains(sought).
func contains(r *run, s []string, _ int) ref.Val {
	if len(s) < 2 {
		return types.NewErr(noOverload)
	}
	return types.Bool(r.find(s[1]).in(s[0]) >= 0)
}

// replace is s.replace(old, new[, most]).
func replace(r *run, s []string, most int) ref.Val {
	if len(s) < 3 {
		return types.NewErr(noOverload)
	}
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
	if len(s) < 2 {
		return types.NewErr(noOverload)
	}
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
	if len(s) < 1 {
		return types.NewErr(noOverload)
	}
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
