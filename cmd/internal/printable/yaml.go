// SPDX-License-Identifier: Apache-2.0

package printable

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// MarshalYAML returns a value as one YAML document, by its JSON form and with sorted keys, as YAML
// returns it. The error is that of a value that has no such form.
func MarshalYAML(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	// Without Text the parser refuses DEL and C1, which JSON does not escape.
	document, err := yaml.JSONToYAML([]byte(Text(string(text))))
	return YAML(document), err
}

// YAML returns YAML documents whose values, keys and comments stay what they are when Text, or a
// Writer, makes characters visible in them: texts with such characters are in double quotes, where
// \uXXXX is the character. Documents without such characters are returned byte by byte; so is a text
// that is no YAML.
func YAML(documents []byte) []byte {
	if Text(string(documents)) == string(documents) {
		return documents
	}
	var quoted bytes.Buffer
	from, to := yamlv3.NewDecoder(bytes.NewReader(documents)), yamlv3.NewEncoder(&quoted)
	to.SetIndent(2)
	to.CompactSeqIndent()
	for {
		var document yamlv3.Node
		err := from.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return documents
		}
		quote(&document)
		if err := to.Encode(&document); err != nil {
			return documents
		}
	}
	if err := to.Close(); err != nil {
		return documents
	}
	return []byte(Text(quoted.String()))
}

// quote puts the scalars of a document into double quotes that have a character which is made visible.
func quote(n *yamlv3.Node) {
	if n.Kind == yamlv3.ScalarNode && Text(n.Value) != n.Value {
		n.Style = n.Style&yamlv3.TaggedStyle | yamlv3.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		quote(child)
	}
}
