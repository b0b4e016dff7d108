// SPDX-License-Identifier: Apache-2.0

package schemapath

import "strings"

// unescape turns a part of a JSON pointer into the name that it is for; see RFC 6901.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// Pointer returns the first part of a JSON pointer that no object of the schema has, or
// nil, and the type of the values at its end; "" if that is not known.
func (s *Schema) Pointer(pointer string) (*Missing, string) {
	at := s.from()
	if pointer == "" {
		return nil, at.kind()
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var missing *Missing
		name := unescape.Replace(part)
		if at.kind() == "array" {
			at, missing = at.item(name)
		} else {
			at, missing = at.field(name)
		}
		if missing != nil {
			return missing, ""
		}
	}
	return nil, at.kind()
}
