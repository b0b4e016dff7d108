// SPDX-License-Identifier: Apache-2.0

package lsp

import "github.com/dragoman-io/dragoman/engine/author/lsp/jsonrpc"

// state is how far a session is.
type state int

const (
	created state = iota
	initialized
	shutDown
	ended
)

type (
	initializeResult struct {
		Capabilities capabilities `json:"capabilities"`
		ServerInfo   serverInfo   `json:"serverInfo"`
	}
	capabilities struct {
		PositionEncoding   string            `json:"positionEncoding"`
		TextDocumentSync   syncOptions       `json:"textDocumentSync"`
		CompletionProvider completionOptions `json:"completionProvider"`
		HoverProvider      bool              `json:"hoverProvider"`
		DefinitionProvider bool              `json:"definitionProvider"`
	}
	syncOptions struct {
		OpenClose bool     `json:"openClose"`
		Change    int      `json:"change"`
		Save      struct{} `json:"save"`
	}
	completionOptions struct {
		TriggerCharacters []string `json:"triggerCharacters"`
	}
	serverInfo struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
)

// incremental has editors send what changed in a document.
const incremental = 2

// initialize begins the session.
func (s *Server) initialize() (any, error) {
	if s.state != created {
		return nil, jsonrpc.Errorf(jsonrpc.InvalidRequest, "initialize was called before")
	}
	s.state = initialized
	return initializeResult{
		Capabilities: capabilities{
			PositionEncoding:   "utf-16",
			TextDocumentSync:   syncOptions{OpenClose: true, Change: incremental},
			CompletionProvider: completionOptions{TriggerCharacters: []string{"."}},
			HoverProvider:      true,
			DefinitionProvider: true,
		},
		ServerInfo: serverInfo{Name: "dragoman", Version: s.Version},
	}, nil
}
