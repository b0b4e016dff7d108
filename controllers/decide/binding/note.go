// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"fmt"
	"maps"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// note is the key of an annotation of bindings whose value is JSON.
type note string

// read parses the annotation into a value, which stays as it is where there is no annotation. After
// an error, which names the annotation, it may have a part.
func (n note) read(b workv1alpha2.Binding, into any) error {
	text, noted := b.GetAnnotations()[string(n)]
	if !noted {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("metadata.annotations[%s]: %w", string(n), err)
	}
	return nil
}

// write writes a value, or removes the annotation where the value is empty. The annotations that b has
// stay as they are: it gets others.
func (n note) write(b workv1alpha2.Binding, value any, empty bool) error {
	annotations := maps.Clone(b.GetAnnotations())
	delete(annotations, string(n))
	if !empty {
		raw, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("write %s: %w", string(n), err)
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[string(n)] = string(raw)
	}
	b.SetAnnotations(annotations)
	return nil
}
