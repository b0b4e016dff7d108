// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// tooLarge remembers which state of bindings was said to be too large, so that it is said once: a
// decision finds it each time. It is safe for many goroutines; the zero value is ready.
type tooLarge struct {
	said memory.Of[types.UID, string]
}

// isNew reports whether an error is there and is another than before, whatever its sizes are.
func (t *tooLarge) isNew(binding types.UID, err error) (isNew bool) {
	t.said.Update(binding, func(was string, known bool) (string, bool) {
		if err == nil {
			return "", false
		}
		is := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, err.Error())
		isNew = !known || was != is
		return is, true
	})
	return isNew
}

// forget drops what was said of a binding.
func (t *tooLarge) forget(binding types.UID) { t.said.Forget(binding) }
