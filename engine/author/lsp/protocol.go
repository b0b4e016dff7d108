// SPDX-License-Identifier: Apache-2.0

package lsp

// The parts of the protocol that the server uses, by the names that the specification has for
// them.
type (
	position struct {
		// Line and Character start at 0; Character counts UTF-16 code units.
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}

	textDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    *int   `json:"version"`
		Text       string `json:"text"`
	}
	documentParams struct {
		TextDocument textDocument `json:"textDocument"`
	}
	changeParams struct {
		TextDocument   textDocument `json:"textDocument"`
		ContentChanges []change     `json:"contentChanges"`
	}
	change struct {
		// Range is what Text replaces; nil is the whole document.
		Range *textRange `json:"range"`
		Text  string     `json:"text"`
	}
	positionParams struct {
		TextDocument textDocument `json:"textDocument"`
		Position     position     `json:"position"`
	}

	diagnosticParams struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	diagnostic struct {
		Range    textRange `json:"range"`
		Severity int       `json:"severity"`
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
	}

	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Detail        string    `json:"detail,omitempty"`
		Documentation *markup   `json:"documentation,omitempty"`
		TextEdit      *textEdit `json:"textEdit,omitempty"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup    `json:"contents"`
		Range    textRange `json:"range"`
	}

	logParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)

// The severities of diagnostics, and of messages of a log.
const (
	severityError   = 1
	severityWarning = 2
)

// The kinds of completions.
const (
	functionItem = 3
	fieldItem    = 5
	moduleItem   = 9
	propertyItem = 10
	valueItem    = 12
)

// plainText returns a text that is shown as it is.
func plainText(text string) markup { return markup{"plaintext", text} }
