// SPDX-License-Identifier: Apache-2.0

package jsonpath

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// print writes values with a space between them: objects and lists as JSON, all else as
// text.
func (e *evaluation) print(values []any) error {
	for i, value := range values {
		if err := e.printOne(value); err != nil {
			return err
		}
		if i < len(values)-1 {
			if err := e.write(" "); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *evaluation) printOne(value any) error {
	switch value := value.(type) {
	case map[string]any, []any:
		return e.json(value)
	case string:
		return e.write(value)
	case nil:
		return e.write("null")
	case nothing:
		return e.write("<no value>")
	}
	return e.write(fmt.Sprint(value))
}

// write appends a text to the output, and ends the evaluation where it is full.
func (e *evaluation) write(text string) error {
	if err := e.pay(1); err != nil {
		return err
	}
	if e.out == nil {
		return nil
	}
	room := e.budget.Output - e.out.Len()
	e.out.WriteString(text[:min(len(text), room)])
	if len(text) > room {
		return errFull
	}
	return nil
}

// json writes a value as encoding/json does, as far as there is room.
func (e *evaluation) json(value any) error {
	switch value := value.(type) {
	case map[string]any:
		return e.object(value)
	case []any:
		if value == nil {
			return e.write("null")
		}
		before := "["
		for _, item := range value {
			if err := e.write(before); err != nil {
				return err
			}
			if err := e.json(item); err != nil {
				return err
			}
			before = ","
		}
		if len(value) == 0 {
			return e.write("[]")
		}
		return e.write("]")
	case string:
		// What is behind the room does not matter, a letter more shows that there is more.
		value = value[:min(len(value), e.budget.Output+1)]
		return e.marshalled(value)
	}
	return e.marshalled(value)
}

func (e *evaluation) object(value map[string]any) error {
	if value == nil {
		return e.write("null")
	}
	if err := e.pay(4 * len(value)); err != nil { // sorted
		return err
	}
	before := "{"
	for _, key := range slices.Sorted(maps.Keys(value)) {
		if err := e.write(before); err != nil {
			return err
		}
		if err := e.json(key); err != nil {
			return err
		}
		if err := e.write(":"); err != nil {
			return err
		}
		if err := e.json(value[key]); err != nil {
			return err
		}
		before = ","
	}
	if len(value) == 0 {
		return e.write("{}")
	}
	return e.write("}")
}

func (e *evaluation) marshalled(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return e.write(string(text))
}
