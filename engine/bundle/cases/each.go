// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// placeholder stands in the texts of a case for the value of a row, or for one field of it.
var placeholder = regexp.MustCompile(`\$\{each((?:\.[A-Za-z0-9_-]+)*)\}`)

// rows returns the documents that a case stands for: itself, or one for each value of its list each, in
// the place of which the texts "${each}" and "${each.field}" have the value. A text that is nothing else
// takes the type of the value.
func (r *Reader) rows(n yamldoc.Node) ([]yamldoc.Node, error) {
	m, _ := n.Value.(map[string]any)
	if m["each"] == nil {
		return []yamldoc.Node{n}, nil
	}
	rest := make(map[string]any, len(m))
	for key, value := range m {
		if key != "each" {
			rest[key] = value
		}
	}
	values, bytes := yamldoc.SizeOf(rest)
	var rows []yamldoc.Node
	err := n.Get("each").Items(func(item yamldoc.Node) error {
		if r.spent() {
			return nil // the row before has the error
		}
		if !r.fits(values, bytes) {
			return item.Errorf(beyondBudget)
		}
		s := substitution{row: item.Value, take: r.fits, pay: r.take}
		row := n
		filled, _ := s.fill(rest).(map[string]any)
		if s.err != nil {
			return item.Errorf("%v", s.err)
		}
		if name, _ := m["name"].(string); name != "" && !placeholder.MatchString(name) {
			filled["name"] = fmt.Sprintf("%s [%s]", name, inText(item.Value))
		}
		row.Value = filled
		rows = append(rows, row)
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = n.Get("each").Errorf("a list of at least one value is wanted")
	}
	return rows, err
}

// beyondBudget is the error of cases that are more than the budget of their reader.
const beyondBudget = "the cases are too large together, with what they take from base and each; split the file"

// bytesPerTextGas is how many bytes of a text with a placeholder are looked through in the time of a unit of gas.
const bytesPerTextGas = 6

// substitution fills the value of a row into the texts of a case.
type substitution struct {
	row any
	// take takes what a value adds from the budget of the reader.
	take func(values, bytes int) bool
	// pay takes the gas of what is looked for in a text.
	pay func(gas int64) error
	err error
}

// fill returns a copy of a value with the row in its texts, keys excluded.
func (s *substitution) fill(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, v := range value {
			out[key] = s.fill(v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = s.fill(v)
		}
		return out
	case string:
		return s.text(value)
	}
	return value
}

func (s *substitution) text(text string) any {
	if !strings.Contains(text, "${each") || s.err != nil {
		return text
	}
	if s.err = s.pay(int64(len(text)) / bytesPerTextGas); s.err != nil {
		return text
	}
	found := placeholder.FindStringSubmatch(text)
	if found != nil && found[0] == text {
		return s.field(found[1])
	}
	return placeholder.ReplaceAllStringFunc(text, func(match string) string {
		return inText(s.field(placeholder.FindStringSubmatch(match)[1]))
	})
}

// field returns the field of the row at a path such as ".status.state"; "" is the row. It is nil after
// an error.
func (s *substitution) field(path string) any {
	if s.err != nil {
		return nil
	}
	value := s.row
	for _, key := range strings.Split(path, ".")[1:] {
		m, _ := value.(map[string]any)
		inner, has := m[key]
		if !has && s.err == nil {
			s.err = fmt.Errorf("the value has no field %s for ${each%s}", key, path)
		}
		value = inner
	}
	if !s.take(yamldoc.SizeOf(value)) && s.err == nil {
		s.err = errors.New(beyondBudget)
		return nil
	}
	return value
}

// inText returns a value as a part of a text: a text as it is, anything else as JSON.
func inText(value any) string {
	if text, is := value.(string); is {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
