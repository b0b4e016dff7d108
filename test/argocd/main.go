// SPDX-License-Identifier: Apache-2.0

// Command argocd judges objects as Argo CD does: it reads one as JSON from each line of stdin, and writes
// its health as a word on a line of stdout: "error" where a rule fails, and nothing where there is none.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func main() {
	if err := judge(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// judge answers until there is nothing more to read.
func judge(objects io.Reader, words io.Writer) error {
	lines := bufio.NewReader(objects)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(line, &object.Object); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(words, word(object)); err != nil {
			return err
		}
	}
}

// word returns the health of an object. Rules in Lua go before those in Go, as in Argo CD.
func word(o *unstructured.Unstructured) string {
	status, err := health.GetResourceHealth(o, lua.ResourceHealthOverrides{})
	switch {
	case err != nil:
		return "error"
	case status == nil:
		return ""
	default:
		return string(status.Status)
	}
}
