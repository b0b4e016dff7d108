// SPDX-License-Identifier: Apache-2.0

package engine

// measure adds a plain value to the answer, and returns how many nodes it has.
func (r *reader) measure(v any) (nodes int64, err error) {
	switch x := v.(type) {
	case string:
		return 1, r.plainText(x)
	case map[string]any:
		return r.measureFields(x)
	case []any:
		return r.measureItems(x)
	}
	return 1, r.grow(numberSize)
}

func (r *reader) measureFields(x map[string]any) (nodes int64, err error) {
	if err := r.Add(1+int64(len(x)), 0); err != nil {
		return 0, err
	}
	base := r.enter()
	for key, e := range x {
		if err := r.plainText(key); err != nil {
			return 0, err
		}
		n, err := r.measure(e)
		if err != nil {
			return 0, err
		}
		nodes += n
	}
	return nodes + 1, r.leave(base)
}

func (r *reader) measureItems(x []any) (nodes int64, err error) {
	if err := r.Add(1+int64(len(x)), 0); err != nil {
		return 0, err
	}
	for _, e := range x {
		n, err := r.measure(e)
		if err != nil {
			return 0, err
		}
		nodes += n
	}
	return nodes + 1, nil
}

// longText is from which length on the bytes of a text are looked at that JSON escapes.
const longText = 256

// plainText adds a text of a plain value to the answer.
func (r *reader) plainText(s string) error {
	if err := r.long(s); err != nil {
		return err
	}
	return r.grow(len(s) + fieldSize)
}

// long pays for a text that is long, and adds what JSON escapes of it to the answer.
func (r *reader) long(s string) error {
	if len(s) < longText {
		return nil
	}
	if err := r.Text(2 * len(s)); err != nil {
		return err
	}
	return r.grow(escapes(s))
}

// escapes returns how many bytes JSON adds to a text.
func escapes(s string) (n int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < 0x20:
			n += 5
		}
	}
	return n
}

// stored adds what v has beside base to the answer: a part of base at its own place is
// stored already. It is an error where the answer becomes too large to be stored.
func (r *reader) stored(base, v any) error {
	switch x := v.(type) {
	case map[string]any:
		was, _ := base.(map[string]any)
		if was != nil && sameMap(was, x) {
			return nil
		}
		return r.storedFields(was, x)
	case []any:
		was, _ := base.([]any)
		if len(was) == len(x) && len(x) > 0 && &was[0] == &x[0] {
			return nil
		}
		return r.storedItems(was, x)
	case string:
		return r.plainText(x)
	}
	return r.grow(numberSize)
}

func (r *reader) storedFields(was, x map[string]any) error {
	if err := r.Add(1+int64(len(x)), 0); err != nil {
		return err
	}
	size := 0
	base := r.enter()
	for key, e := range x {
		size += len(key) + fieldSize
		var err error
		switch e := e.(type) {
		case map[string]any, []any:
			err = r.stored(was[key], e)
		case string:
			size += len(e)
			err = r.long(e)
		default:
			size += numberSize
		}
		if err == nil {
			err = r.long(key)
		}
		if err != nil {
			return err
		}
	}
	r.size += int64(size)
	return r.leave(base)
}

func (r *reader) storedItems(was, x []any) error {
	if err := r.Add(1+int64(len(x)), 0); err != nil {
		return err
	}
	for i, e := range x {
		var before any
		if i < len(was) {
			before = was[i]
		}
		if err := r.stored(before, e); err != nil {
			return err
		}
	}
	return nil
}
