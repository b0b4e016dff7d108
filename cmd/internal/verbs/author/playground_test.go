// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// TestPlaygroundServes reads the address that the command prints, asks it about a case of a bundle,
// and ends it.
func TestPlaygroundServes(t *testing.T) {
	out, in := io.Pipe()
	o := &playgroundOptions{streams: verb.Streams{Out: in, Err: io.Discard}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- o.serve(ctx) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("the address is %q", address)
	}
	response, err := http.Post(address+"api/sample", "application/json", strings.NewReader(`{"bundle": "flink", "kind": "FlinkDeployment", "operation": "health"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil || response.Body.Close() != nil || !strings.Contains(string(text), `"file":"lib/health.lua"`) {
		t.Errorf("got %.200s, %v", text, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v at the end", err)
	}
}
