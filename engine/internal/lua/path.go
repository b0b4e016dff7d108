// SPDX-License-Identifier: Apache-2.0

package lua

// dig reads the value at the end of a path, nil where there is none.
func dig(v any, keys []string) any {
	for i, key := range keys {
		t, ok := v.(*table)
		if !ok {
			return nil
		}
		if known := t.find(key); known >= 0 {
			v = t.fields[known].value
			continue
		}
		if rest := keys[i:]; len(rest) <= fewSteps && t.src != nil {
			return t.dig(rest)
		}
		v = t.getField(key)
	}
	return v
}

// fewSteps is up to which length a path is walked at once.
const fewSteps = 8

// dig reads the value at the end of a path whose first key is none of the fields. It makes
// no views on the way to a scalar.
func (t *table) dig(keys []string) any {
	var way [fewSteps]map[string]any
	m, last := t.src, len(keys)-1
	for i, key := range keys[:last] {
		v := m[key]
		next, ok := v.(map[string]any)
		if !ok {
			if _, isList := v.([]any); isList || isScalar(v) {
				return nil
			}
			return dig(t.getField(keys[0]), keys[1:])
		}
		way[i], m = next, next
	}
	end := m[keys[last]]
	if isScalar(end) {
		return end
	}
	for i, key := range keys[:last] {
		t = t.view(key, way[i]).(*table)
	}
	return t.view(keys[last], end)
}

// isScalar reports whether v is a plain value without parts.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, string, bool, int64, float64:
		return true
	}
	return false
}
