// SPDX-License-Identifier: Apache-2.0

package base

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// MaxNote is less than the longest note of an event that the API server takes, which
// is 1024 bytes. A script may raise any text.
const MaxNote = 1000

// Warn records a warning event about an object: the reason is a published word such as
// SyncWorkFailed, the action is what was tried. The message of err is cut to what the API
// server takes.
func (d Deps) Warn(about runtime.Object, reason, action string, err error) {
	d.Events.Eventf(about, nil, corev1.EventTypeWarning, reason, action, "%s", Clip(err.Error(), MaxNote))
}

// Clip returns at most the first n bytes of a text, without cutting a character.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
