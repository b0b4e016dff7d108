// SPDX-License-Identifier: Apache-2.0

package lsp

import "testing"

func TestPathOfReadsWhatEditorsSend(t *testing.T) {
	tests := map[string]struct{ uri, path, back string }{
		"a file":             {"file:///home/a/b.lua", "/home/a/b.lua", "file:///home/a/b.lua"},
		"escaped characters": {"file:///home/a%20b/%C3%A9.lua", "/home/a b/é.lua", "file:///home/a%20b/%C3%A9.lua"},
		"a drive":            {"file:///c%3A/a/b.lua", "C:/a/b.lua", "file:///C:/a/b.lua"},
		"a local host":       {"file://localhost/a.lua", "/a.lua", "file:///a.lua"},
		"no file":            {"untitled:Untitled-1", "untitled:Untitled-1", "untitled:Untitled-1"},
		"what is no URI":     {"%zz", "%zz", "%zz"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := pathOf(test.uri); got != test.path {
				t.Errorf("pathOf(%q): %q; want %q", test.uri, got, test.path)
			}
			if got := uriOf(test.path); got != test.back {
				t.Errorf("uriOf(%q): %q; want %q", test.path, got, test.back)
			}
		})
	}
}
