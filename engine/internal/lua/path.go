// SPDX-License-Identifier: Apache-2.0

package lua

// dig reads the value at the end of a path, nil where there is none.
func dig(v any, keys []string) any {
	looked := false
	for i, key := range keys {
		t, ok := v.(*table)
		if !ok {
			return nil
		}
		if !looked && t.src != nil && t.find(key) < 0 {
			end := deep(t.src, keys[i:])
			if isScalar(end) {
				return end
			}
			looked = true
		}
		v = t.getField(key)
	}
	return v
}

// deep reads the value at the end of a path of plain maps. If a value on the way is not a
// map, deep returns nil, or that value where only a view can decide.
func deep(m map[string]any, keys []string) any {
	last := len(keys) - 1
	for _, key := range keys[:last] {
		v := m[key]
		next, ok := v.(map[string]any)
		if !ok {
			if _, isList := v.([]any); isList || isScalar(v) {
				return nil
			}
			return v
		}
		m = next
	}
	return m[keys[last]]
}

// isScalar reports whether v is a plain value without parts.
func isScalar(v any) bool {
	switch v.(type) {
	case nil, string, bool, int64, float64:
		return true
	}
	return false
}
