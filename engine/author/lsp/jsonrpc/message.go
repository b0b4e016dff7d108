// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The codes of errors, those of JSON-RPC and of the Language Server Protocol.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
	NotInitialized = -32002
)

// Error is why a request was not answered.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message with the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Errorf returns an error of a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Message is a request, a notification, or the response to a request.
type Message struct {
	// ID is that of a request or a response: a number, a string, or null in a response to what
	// could not be read. It is nil in a notification.
	ID json.RawMessage
	// Method is "" in a response.
	Method string
	// Params are an object, a list, or nil.
	Params json.RawMessage
	// Result and Error are those of a response, one of them.
	Result json.RawMessage
	Error  *Error
}

// IsRequest reports whether the message wants a response.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// document is the form of a message.
type document struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Parse returns the message that a document is. The error is an *Error of ParseError or
// InvalidRequest; then the message has the id, where it is known.
func Parse(data []byte) (*Message, error) {
	if !json.Valid(data) {
		return &Message{}, Errorf(ParseError, "the message is not JSON")
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return &Message{}, Errorf(InvalidRequest, "the message is not a JSON-RPC 2.0 object; batches are not taken")
	}
	m := &Message{ID: d.ID, Method: d.Method, Params: d.Params, Result: d.Result, Error: d.Error}
	if isNull(m.Params) {
		m.Params = nil
	}
	switch {
	case m.ID != nil && !isID(m.ID):
		return &Message{}, Errorf(InvalidRequest, "the id of a request is a number or a string")
	case d.Version != "2.0":
		return m, Errorf(InvalidRequest, `want "jsonrpc": "2.0"`)
	case m.Method == "" && m.ID == nil:
		return m, Errorf(InvalidRequest, "the message has neither a method nor an id")
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return m, Errorf(InvalidRequest, "the message has no method, and is no response")
	case m.Method != "" && isNull(m.ID):
		return &Message{}, Errorf(InvalidRequest, "the id of a request is a number or a string")
	}
	return m, nil
}

// Format returns the document of a message.
func Format(m *Message) ([]byte, error) {
	return json.Marshal(document{Version: "2.0", ID: m.ID, Method: m.Method, Params: m.Params, Result: m.Result, Error: m.Error})
}

func isNull(data json.RawMessage) bool { return string(bytes.TrimSpace(data)) == "null" }

// isID reports whether a JSON value can be the id of a message.
func isID(data json.RawMessage) bool {
	first := bytes.TrimSpace(data)[0]
	return first == '"' || first == '-' || first >= '0' && first <= '9' || isNull(data)
}
