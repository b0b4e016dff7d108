// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func framed(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

func TestReadReadsMessages(t *testing.T) {
	tests := map[string]struct {
		in   string
		want *Message
		// code is that of an error behind which reading goes on, text a part of any other one.
		code int
		text string
	}{
		"a request": {
			in:   framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`),
			want: &Message{ID: []byte("1"), Method: "initialize", Params: []byte("{}")},
		},
		"a notification": {
			in:   framed(`{"jsonrpc":"2.0","method":"exit"}`),
			want: &Message{Method: "exit"},
		},
		"params that are null": {
			in:   framed(`{"jsonrpc":"2.0","method":"exit","params":null}`),
			want: &Message{Method: "exit"},
		},
		"a response": {
			in:   framed(`{"jsonrpc":"2.0","id":"a","result":null}`),
			want: &Message{ID: []byte(`"a"`), Result: []byte("null")},
		},
		"other fields, in other letters, and lines that end alone": {
			in:   "content-type: application/vscode-jsonrpc; charset=utf8\nX-Other: a\nCONTENT-LENGTH: 33\n\n" + `{"jsonrpc":"2.0","method":"exit"}`,
			want: &Message{Method: "exit"},
		},
		"the end":                      {in: "", text: "EOF"},
		"no JSON":                      {in: framed("{"), code: ParseError, want: &Message{}},
		"no document":                  {in: framed(""), code: ParseError, want: &Message{}},
		"a batch":                      {in: framed("[]"), code: InvalidRequest, want: &Message{}},
		"another version":              {in: framed(`{"id":1,"method":"a"}`), code: InvalidRequest, want: &Message{ID: []byte("1"), Method: "a"}},
		"neither method nor id":        {in: framed(`{"jsonrpc":"2.0"}`), code: InvalidRequest, want: &Message{}},
		"an id that is a list":         {in: framed(`{"jsonrpc":"2.0","id":[],"method":"a"}`), code: InvalidRequest, want: &Message{}},
		"no length":                    {in: "A: b\r\n\r\n{}", text: "no Content-Length"},
		"a length that is no number":   {in: "Content-Length: -1\r\n\r\n{}", text: "want a number of bytes"},
		"a length that is too much":    {in: "Content-Length: 99999999\r\n\r\n{}", text: "want at most"},
		"a line that is no field":      {in: "hello\r\n\r\n{}", text: "is no field"},
		"a long line":                  {in: strings.Repeat("a", 10_000), text: "a line of more than"},
		"many fields":                  {in: strings.Repeat("a: b\r\n", 100), text: "more than 32 fields"},
		"another charset":              {in: "Content-Type: a/b; charset=latin1\r\nContent-Length: 2\r\n\r\n{}", text: "want utf-8"},
		"a header that ends":           {in: "Content-Length: 2\r\n", text: "unexpected EOF"},
		"a document that ends earlier": {in: "Content-Length: 5\r\n\r\n{}", text: "ends after 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := NewReader(strings.NewReader(test.in)).Read()
			failure, isFailure := errors.AsType[*Error](err)
			switch {
			case test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)):
				t.Fatalf("Read: error %v; want one with %q", err, test.text)
			case test.text == "" && test.code == 0 && err != nil:
				t.Fatal(err)
			case test.code != 0 && (!isFailure || failure.Code != test.code):
				t.Fatalf("Read: error %v; want one of %d", err, test.code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadGoesOnBehindWhatIsNoMessage(t *testing.T) {
	r := NewReader(strings.NewReader(framed("{") + framed(`{"jsonrpc":"2.0","method":"exit"}`)))
	if _, err := r.Read(); err == nil {
		t.Fatal("no error for what is not JSON")
	}
	m, err := r.Read()
	if err != nil || m.Method != "exit" {
		t.Errorf("Read: %v, %v; want exit", m, err)
	}
}

// FuzzRead reads what anything sends: each message that is read is read again as it was written.
func FuzzRead(f *testing.F) {
	f.Add(framed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
	f.Add(framed("{") + framed(`{"jsonrpc":"2.0","id":"é","result":[1]}`))
	f.Add("Content-Length: 3\r\nContent-Type: x\r\n\r\n{}")
	f.Fuzz(func(t *testing.T, in string) {
		r := NewReader(strings.NewReader(in))
		for {
			m, err := r.Read()
			if _, goesOn := errors.AsType[*Error](err); goesOn {
				continue
			}
			if err != nil {
				return
			}
			var out bytes.Buffer
			if err := NewWriter(&out).Write(m); err != nil {
				t.Fatal(err)
			}
			again, err := NewReader(&out).Read()
			if err != nil {
				t.Fatalf("%q was written as what cannot be read: %v", in, err)
			}
			if again.Method != m.Method || (again.ID == nil) != (m.ID == nil) {
				t.Fatalf("%q was read as %v, and then as %v", in, m, again)
			}
			if _, err := NewReader(&out).Read(); !errors.Is(err, io.EOF) {
				t.Fatalf("there is more behind a message: %v", err)
			}
		}
	})
}
