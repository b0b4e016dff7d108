// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxLabel is the length in bytes of the longest label: that of the longest kind that the
// API server knows, with its group.
const maxLabel = 63 + len(".") + 253

// label returns a text as the value of a label. One that is longer than maxLabel is cut,
// and has a hash at its end, so that two texts do not become one.
func label(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= maxLabel {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(text[:maxLabel-len("~")-len(hash)], "") + "~" + hash
}
