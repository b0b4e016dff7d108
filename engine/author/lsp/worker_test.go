// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/author/source"
)

const (
	initializeMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	shutdownMessage   = `{"jsonrpc":"2.0","id":9,"method":"shutdown"}`
	exitMessage       = `{"jsonrpc":"2.0","method":"exit"}`
	// syncMessage is answered once all messages before it were handled.
	syncMessage = `{"jsonrpc":"2.0","id":"sync","method":"$/sync"}`
	syncAnswer  = `{"error":{"code":-32601,"message":"there is no method \"$/sync\""},"id":"sync","jsonrpc":"2.0"}`
)

func openMessage(uri, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"lua","version":1,"text":%q}}}`, uri, text)
}

func changeMessage(uri string, version int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":%q}]}}`, uri, version, text)
}

// checked has the checks of an editor's server say what they were about, once they may.
func checked(e *editor, check func(text string)) {
	e.server.inspect = func(u unit, at snapshot) ([]finding, error) {
		text := at.documents[u.file].text
		check(text)
		return []finding{{source.Problem{File: u.file, Message: text}, severityError}}, nil
	}
}

func diagnosed(uri string, version int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"diagnostics":[{"message":%q,`+
		`"range":{"end":{"character":%d,"line":0},"start":{"character":0,"line":0}},"severity":1,"source":"dragoman"}],"uri":%q,"version":%d}}`, message, len(message), uri, version)
}

func TestChangesWhileACheckRunsSupersedeIt(t *testing.T) {
	e := newEditor(filesOf(nil))
	began, goOn := make(chan string), make(chan bool)
	checked(e, func(text string) {
		began <- text
		<-goOn
	})
	const uri = "file:///a.lua"
	e.send(t, initializeMessage)
	e.receive(t)
	e.send(t, openMessage(uri, "one"))
	if text := <-began; text != "one" {
		t.Fatalf("the first check is about %q", text)
	}
	for version := 2; version <= 5; version++ {
		e.send(t, changeMessage(uri, version, strings.Repeat("x", version)))
	}
	e.send(t, syncMessage)
	if got := e.receive(t); got != syncAnswer {
		t.Fatalf("while a check runs, a request is answered by %s", got)
	}
	goOn <- true // the check of the first version ends: its findings are of a text that is gone
	if text := <-began; text != "xxxxx" {
		t.Errorf("the second check is about %q; want the last version", text)
	}
	goOn <- true
	if diff := cmp.Diff(diagnosed(uri, 5, "xxxxx"), e.receive(t)); diff != "" {
		t.Errorf("the first diagnostics (-want +got):\n%s", diff)
	}
	e.send(t, shutdownMessage)
	e.receive(t)
	e.send(t, exitMessage)
	if end := e.end(t); end != "good" {
		t.Errorf("the session ends with %s", end)
	}
	for m := range e.received {
		t.Errorf("one more message: %s", m)
	}
}

// TestTheLastVersionEndsWithItsDiagnostics changes two documents many times, with checks that end
// whenever they do.
func TestTheLastVersionEndsWithItsDiagnostics(t *testing.T) {
	e := newEditor(filesOf(nil))
	checked(e, func(string) {})
	uris := []string{"file:///a.lua", "file:///b.lua"}
	e.send(t, initializeMessage)
	e.receive(t)
	for _, uri := range uris {
		e.send(t, openMessage(uri, "one"))
	}
	const last = 200
	for version := 2; version <= last; version++ {
		for _, uri := range uris {
			e.send(t, changeMessage(uri, version, fmt.Sprint(version)))
		}
	}
	left := map[string]bool{}
	for _, uri := range uris {
		left[diagnosed(uri, last, fmt.Sprint(last))] = true
	}
	for len(left) > 0 {
		delete(left, e.receive(t))
	}
	e.send(t, exitMessage)
	if end := e.end(t); end != ErrNoShutdown.Error() {
		t.Errorf("the session ends with %s", end)
	}
	for m := range e.received {
		t.Errorf("something comes behind the last version: %s", m)
	}
}

func TestAPanicIsLogged(t *testing.T) {
	e := newEditor(filesOf(nil))
	checked(e, func(text string) {
		if text == "boom" {
			panic(text)
		}
	})
	const uri = "file:///a.lua"
	e.send(t, initializeMessage)
	e.receive(t)
	e.send(t, openMessage(uri, "boom"))
	if got := e.receive(t); !strings.Contains(got, "window/logMessage") || !strings.Contains(got, "/a.lua stopped by a defect of dragoman: boom") {
		t.Errorf("a panic is logged as %s", got)
	}
	if got := e.receive(t); !strings.Contains(got, `"version":1`) || !strings.Contains(got, "the check stopped by a defect of dragoman: boom") {
		t.Errorf("a panic is shown as %s", got)
	}
	e.send(t, changeMessage(uri, 2, "good"))
	if diff := cmp.Diff(diagnosed(uri, 2, "good"), e.receive(t)); diff != "" {
		t.Errorf("after a panic (-want +got):\n%s", diff)
	}
	e.send(t, exitMessage)
	e.end(t)
}
