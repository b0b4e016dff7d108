// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/dragoman-io/dragoman/engine/author/lsp/jsonrpc"
)

var update = flag.Bool("update", false, "rewrite what the server sends in testdata")

// rooted is a file system whose paths are absolute.
type rooted struct{ fs.FS }

// Open opens a file.
func (r rooted) Open(name string) (fs.File, error) {
	if name = strings.TrimPrefix(name, "/"); name == "" {
		name = "."
	}
	return r.FS.Open(name)
}

// filesOf returns a file system of texts by their paths.
func filesOf(texts map[string]string) fs.FS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[strings.TrimPrefix(name, "/")] = &fstest.MapFile{Data: []byte(text)}
	}
	return rooted{files}
}

// manifestKeys are some of what the program has from its documents.
var (
	manifestKeys = []Key{
		{"apiVersion", "text", "required"},
		{"metadata.name", "text", "unique"},
		{"spec.kinds", "list", "what it is about"},
		{"spec.kinds[].group", "text", "the group"},
		{"spec.kinds[].kind", "text", "the kind"},
		{"spec.operations", "list", "functions"},
		{"spec.operations[].kinds", "list of texts", "names"},
		{"spec.operations[].functions", "map", "by operation"},
		{"spec.limits", "map", "bounds"},
		{"spec.limits.gas", "number", "steps"},
	}
	caseKeys = []Key{{"name", "", "for people"}, {"operation", "", "what is asked"}, {"output", "", "what is expected"}}
)

// TestSessions runs recorded sessions. In the comment of a file, > sends a message, < is one that
// the server then sends, ! sends bytes, and = is how the session ends. Its files are those of the
// server.
func TestSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { runSession(t, name) })
	}
}

func runSession(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range archive.Files {
		texts["/"+f.Name] = string(f.Data)
	}
	e := newEditor(filesOf(texts))
	var got []string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSuffix(line, "\n")
		got = append(got, e.step(t, line)...)
	}
	for m := range e.received {
		got = append(got, "< "+m)
	}
	after := strings.Join(got, "\n") + "\n"
	if *update {
		archive.Comment = []byte(after)
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Comment), after); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// step follows a line of a session, and returns it as it should be.
func (e *editor) step(t *testing.T, line string) []string {
	t.Helper()
	mark, text, _ := strings.Cut(line, " ")
	switch mark {
	case ">":
		e.send(t, text)
	case "!":
		raw, err := strconv.Unquote(text)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		e.sendRaw(t, raw)
	case "<":
		if *update {
			return nil
		}
		return []string{"< " + e.receive(t)}
	case "=":
		return []string{"= " + e.end(t)}
	default:
		return []string{line}
	}
	if *update {
		return append([]string{line}, e.record()...)
	}
	return []string{line}
}

// editor is the other end of a server.
type editor struct {
	server *Server
	in     *io.PipeWriter
	// received are the messages of the server, with sorted keys.
	received chan string
	done     chan error
}

func newEditor(files fs.FS) *editor {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	e := &editor{in: in, received: make(chan string, 1000), done: make(chan error, 1)}
	e.server = newServer(fromServer, Options{Files: files, Version: "v1", Manifest: manifestKeys, Cases: caseKeys})
	go func() {
		err := e.server.serve(toServer)
		e.done <- errors.Join(err, toServer.CloseWithError(io.ErrClosedPipe), fromServer.Close())
	}()
	go func() {
		defer close(e.received)
		for reader := jsonrpc.NewReader(out); ; {
			m, err := reader.Read()
			if err != nil {
				return
			}
			e.received <- sorted(m)
		}
	}()
	return e
}

// sorted returns the document of a message with sorted keys.
func sorted(m *jsonrpc.Message) string {
	data, err := jsonrpc.Format(m)
	var value any
	if err = errors.Join(err, json.Unmarshal(data, &value)); err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// receive returns the next message of the server.
func (e *editor) receive(t *testing.T) string {
	t.Helper()
	m, more := <-e.received
	if !more {
		t.Fatal("the server sends nothing more")
	}
	return m
}

// record returns what the server sends until it is silent, for -update.
func (e *editor) record() []string {
	var all []string
	for {
		select {
		case m, more := <-e.received:
			if !more {
				return all
			}
			all = append(all, "< "+m)
		case <-time.After(500 * time.Millisecond):
			return all
		}
	}
}

// send sends a message.
func (e *editor) send(t *testing.T, text string) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Fatalf("not JSON: %s", text)
	}
	e.sendRaw(t, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text))
}

func (e *editor) sendRaw(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(e.in, text); err != nil {
		t.Fatal(err)
	}
}

// end closes the stream to the server, and returns how the session ended.
func (e *editor) end(t *testing.T) string {
	t.Helper()
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-e.done; err != nil {
		return err.Error()
	}
	return "good"
}
