// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// programVariable names the program of test/argocd, which has all rules of Argo CD.
const programVariable = "ARGOCD_HEALTH"

// program is a running one. It reads an object a line, and answers with a word a line.
type program struct {
	t       *testing.T
	objects io.Writer
	words   *bufio.Scanner
}

// start runs a program until the test ends.
func start(t *testing.T, path string) *program {
	t.Helper()
	command := exec.CommandContext(t.Context(), path)
	objects, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	words, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		objects.Close()
		_ = command.Wait() // the end of the test has ended it
	})
	return &program{t, objects, bufio.NewScanner(words)}
}

func (p *program) judge(o *unstructured.Unstructured) string {
	line, err := json.Marshal(o.Object)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.objects.Write(append(line, '\n')); err != nil {
		p.t.Fatal(err)
	}
	if !p.words.Scan() {
		p.t.Fatalf("the program ended: %v", p.words.Err())
	}
	return strings.TrimSpace(p.words.Text())
}
