// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Answer is what a program printed, and the code that it exited with.
type Answer struct {
	Text string
	Code int
}

// Dragoman runs the built dragoman on the control plane. Its answer has what it wrote to
// both outputs; an error is one of starting it.
func (e *Environment) Dragoman(ctx context.Context, args ...string) (Answer, error) {
	args = append(args[:len(args):len(args)], "--kubeconfig", e.ControlPlane.Kubeconfig)
	cmd := exec.CommandContext(ctx, filepath.Join(e.Bin, "dragoman"), args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Answer{}, err
	}
	return Answer{out.String(), cmd.ProcessState.ExitCode()}, nil
}

// Run runs dragoman on the control plane, which must succeed, and returns what it printed.
func (e *Environment) Run(ctx context.Context, args ...string) string {
	GinkgoHelper()
	a, err := e.Dragoman(ctx, args...)
	Expect(err).NotTo(HaveOccurred())
	Expect(a.Code).To(BeZero(), "dragoman %s: %s", strings.Join(args, " "), a.Text)
	return a.Text
}

// Metrics reads the metrics of the manager.
func (e *Environment) Metrics(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.metrics+"/metrics", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
