// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/author/lsp/jsonrpc"
)

// BenchmarkChange measures the time from a change of a script to the diagnostics of its bundle.
func BenchmarkChange(b *testing.B) {
	for _, file := range []string{"flink/FlinkStateSnapshot/health.lua", "kubernetes/Service/status.lua"} {
		b.Run(strings.ReplaceAll(file, "/", "."), func(b *testing.B) { benchmarkChange(b, file) })
	}
}

func benchmarkChange(b *testing.B, file string) {
	root, err := filepath.Abs("../../../scripts")
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.ToSlash(filepath.Join(root, file))
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		b.Skipf("the bundle has other scripts now: %v", err)
	}
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	go func() {
		_ = newServer(fromServer, Options{Files: rooted{os.DirFS("/")}}).serve(toServer)
	}()
	reader, writer := jsonrpc.NewReader(out), jsonrpc.NewWriter(in)
	send := func(m *jsonrpc.Message) {
		if err := writer.Write(m); err != nil {
			b.Fatal(err)
		}
	}
	diagnosed := func() {
		for {
			m, err := reader.Read()
			if err != nil {
				b.Fatal(err)
			}
			if m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), uriOf(name)) {
				return
			}
		}
	}
	send(&jsonrpc.Message{ID: json.RawMessage("1"), Method: "initialize"})
	if _, err := reader.Read(); err != nil {
		b.Fatal(err)
	}
	send(&jsonrpc.Message{Method: "textDocument/didOpen", Params: fmt.Appendf(nil, `{"textDocument":{"uri":%q,"text":%q}}`, uriOf(name), text)})
	diagnosed()
	for i := 0; b.Loop(); i++ {
		changed := fmt.Sprintf("%s-- %d\n", text, i)
		send(&jsonrpc.Message{Method: "textDocument/didChange", Params: fmt.Appendf(nil, `{"textDocument":{"uri":%q},"contentChanges":[{"text":%q}]}`, uriOf(name), changed)})
		diagnosed()
	}
	send(&jsonrpc.Message{Method: "exit"})
}
