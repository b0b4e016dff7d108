// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
)

// maxRecorded is how much of a file with recorded objects is read, in bytes.
const maxRecorded = 512 << 20

// readRecorded returns the objects of a file as kubectl prints them, YAML or JSON, - is stdin.
// Lists are taken apart.
func readRecorded(s verb.Streams, file string) ([]*unstructured.Unstructured, error) {
	in := s.In
	if file == "-" {
		file = "stdin"
	} else {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	limited := &io.LimitedReader{R: in, N: maxRecorded + 1}
	decoder := yaml.NewYAMLOrJSONDecoder(bufio.NewReader(limited), 4096)
	var all []*unstructured.Unstructured
	for n := 1; ; n++ {
		var content map[string]any
		err := decoder.Decode(&content)
		switch {
		case limited.N <= 0:
			return nil, fmt.Errorf("%s: has more than %d MiB; narrow what kubectl prints by namespace or label", file, maxRecorded>>20)
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		case len(content) == 0:
			continue
		}
		found, err := objectsOf(content)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d: %w", file, n, err)
		}
		all = append(all, found...)
	}
}

// objectsOf returns the object of a document, or those of its list.
func objectsOf(content map[string]any) ([]*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: content}
	if o.GetKind() == "" || o.GetAPIVersion() == "" {
		return nil, errors.New("it has no apiVersion or no kind; want objects as `kubectl get -o yaml` prints them")
	}
	if !o.IsList() {
		return []*unstructured.Unstructured{o}, nil
	}
	var all []*unstructured.Unstructured
	err := o.EachListItem(func(item runtime.Object) error {
		all = append(all, item.(*unstructured.Unstructured))
		return nil
	})
	return all, err
}

// writeJSON writes a value for programs.
func writeJSON(out io.Writer, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(raw, '\n'))
	return err
}
