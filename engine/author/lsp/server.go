// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/lsp/jsonrpc"
)

// ErrNoShutdown is that of an editor which ended, or closed the stream, without a shutdown.
var ErrNoShutdown = errors.New("the editor ended without a shutdown")

// Options are what a server needs.
type Options struct {
	// Files has the files of documents by their absolute paths with slashes, such as /home/a.lua.
	Files fs.FS
	// Review reviews objects as the control plane does; nil reviews none.
	Review author.Review
	// Keys are those of the manifests of bundles, and of cases.
	Manifest, Cases []Key
	// Version is that of the program.
	Version string
}

// Server answers one editor. Serve makes it.
type Server struct {
	Options
	out *jsonrpc.Writer
	// state is how far the session is.
	state state
	// inspect checks a unit. It is only called by the worker.
	inspect func(unit, snapshot) ([]finding, error)
	// checker is made for the first check.
	checker *checker
	schemas schemaCache

	// mu guards what follows.
	mu sync.Mutex
	// documents are the open ones, by path.
	documents map[string]*document
	work      work
}

// Serve answers the messages of one editor until it ends. The error is ErrNoShutdown, or why the
// messages could not be read or written.
func Serve(in io.Reader, out io.Writer, o Options) error {
	return newServer(out, o).serve(in)
}

func newServer(out io.Writer, o Options) *Server {
	s := &Server{Options: o, out: jsonrpc.NewWriter(out), documents: map[string]*document{}, work: newWork(o.Files)}
	s.inspect = s.check
	return s
}

// serve reads and answers messages in their order.
func (s *Server) serve(in io.Reader) error {
	var worker sync.WaitGroup
	worker.Go(s.checkUnits)
	defer worker.Wait()
	defer s.stop()
	reader := jsonrpc.NewReader(in)
	for s.state != ended {
		m, err := reader.Read()
		var malformed *jsonrpc.Error
		switch {
		case errors.As(err, &malformed):
			err = s.refuse(m, malformed)
		case errors.Is(err, io.EOF) && s.state == shutDown:
			return nil
		case errors.Is(err, io.EOF):
			return ErrNoShutdown
		case err == nil:
			err = s.handle(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuse answers what is no message.
func (s *Server) refuse(m *jsonrpc.Message, failure *jsonrpc.Error) error {
	id := m.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	return s.out.Write(&jsonrpc.Message{ID: id, Error: failure})
}

// handle answers a message. The error ends the session.
func (s *Server) handle(m *jsonrpc.Message) error {
	switch {
	case m.Method == "": // a response; the server asks nothing
		return nil
	case m.Method == "exit":
		was := s.state
		s.state = ended
		if was != shutDown {
			return ErrNoShutdown
		}
		return nil
	case !m.IsRequest():
		s.notify(m)
		return nil
	}
	result, err := s.answer(m)
	response := &jsonrpc.Message{ID: m.ID}
	if err == nil {
		response.Result, err = json.Marshal(result)
	}
	if err != nil {
		failure, known := errors.AsType[*jsonrpc.Error](err)
		if !known {
			failure = jsonrpc.Errorf(jsonrpc.InternalError, "%v", err)
		}
		response.Result, response.Error = nil, failure
	}
	return s.out.Write(response)
}

// answer returns the result of a request. A panic in it is an error.
func (s *Server) answer(m *jsonrpc.Message) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log(fmt.Sprintf("%s stopped by a defect of dragoman: %v\n%s", m.Method, r, debug.Stack()))
			result, err = nil, jsonrpc.Errorf(jsonrpc.InternalError, "%s stopped by a defect of dragoman: %v", m.Method, r)
		}
	}()
	switch {
	case s.state == created && m.Method != "initialize":
		return nil, jsonrpc.Errorf(jsonrpc.NotInitialized, "%s before initialize", m.Method)
	case s.state == shutDown:
		return nil, jsonrpc.Errorf(jsonrpc.InvalidRequest, "%s after shutdown", m.Method)
	}
	switch m.Method {
	case "initialize":
		return s.initialize()
	case "shutdown":
		s.state = shutDown
		return nil, nil
	case "textDocument/completion":
		return asked(s, m, s.completion)
	case "textDocument/hover":
		return asked(s, m, s.hover)
	case "textDocument/definition":
		return asked(s, m, s.definition)
	}
	return nil, jsonrpc.Errorf(jsonrpc.MethodNotFound, "there is no method %.100q", m.Method)
}

// asked answers a request about a position in a document; one that is not open has no answer.
func asked[T any](s *Server, m *jsonrpc.Message, answer func(cursor) *T) (any, error) {
	var p positionParams
	if err := decode(m.Params, &p); err != nil {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s: %v", m.Method, err)
	}
	s.mu.Lock()
	d := s.documents[pathOf(p.TextDocument.URI)]
	files := s.work.tree
	s.mu.Unlock()
	if d == nil || p.Position.Line < 0 || p.Position.Character < 0 {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%s: there is no open document %.200q with this position", m.Method, p.TextDocument.URI)
	}
	if found := answer(newCursor(d, files, p.Position)); found != nil {
		return found, nil
	}
	return nil, nil
}

// decode decodes params.
func decode(params json.RawMessage, into any) error {
	err := json.Unmarshal(params, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s is a JSON %s, which the protocol does not have there", strings.TrimSuffix("params."+wrong.Field, "."), wrong.Value)
	}
	if err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return nil
}

// notify handles a notification. Unknown ones are ignored, as all are before initialize.
func (s *Server) notify(m *jsonrpc.Message) {
	if s.state != initialized {
		return
	}
	handle := map[string]func(json.RawMessage) error{
		"textDocument/didOpen":            s.didOpen,
		"textDocument/didChange":          s.didChange,
		"textDocument/didSave":            s.didSave,
		"textDocument/didClose":           s.didClose,
		"workspace/didChangeWatchedFiles": s.didChangeFiles,
	}[m.Method]
	if handle == nil {
		return
	}
	if err := handle(m.Params); err != nil {
		s.log(fmt.Sprintf("%s: %v", m.Method, err))
	}
}

// log has the editor log an error. What cannot be written is noticed by the next answer.
func (s *Server) log(message string) { s.send("window/logMessage", logParams{severityError, message}) }

// send sends a notification.
func (s *Server) send(method string, params any) {
	data, err := json.Marshal(params)
	if err == nil {
		_ = s.out.Write(&jsonrpc.Message{Method: method, Params: data})
	}
}
