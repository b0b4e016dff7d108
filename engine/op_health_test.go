// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestHealthReason(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		why, lua, cel string
		want          string
	}{
		"Healthy":             {"most have no reason", "true", "true", "Healthy, "},
		"Failed":              {"what is false has failed", "false", "false", "Unhealthy, "},
		"Unknown":             {"nil is not known", "nil", "dyn(null)", "Unknown, "},
		"Progressing":         {"not healthy yet, and nothing has failed", "false, 'Progressing'", "'Progressing'", "Unhealthy, Progressing"},
		"UnknownProgressing":  {"nobody knows, and it is at work", "nil, 'Progressing'", "", "Unknown, Progressing"},
		"HealthyProgressing":  {"what is healthy is through", "true, 'Progressing'", "", "error: reason: want nil where healthy is true, got Progressing"},
		"Pending":             {"it waits for somebody", "false, 'Pending'", "'Pending'", "Unhealthy, Pending"},
		"AnotherWord":         {"there are two words", "false, 'Crashed'", "'Crashed'", `error: reason: want Progressing, Pending or nil, got "Crashed"`},
		"NoText":              {"a reason is a text", "false, 3", "", "error: reason: want a string or nil, got a number"},
		"ExpressionOfANumber": {"an expression is a boolean, null or a word", "", "3", "error: healthy: want a boolean, got a number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.lua != "" {
				source := "function InterpretHealth(o) return " + tc.lua + " end"
				expectHealth(t, tc.why, answering(InterpretHealth, luaRule(t, InterpretHealth, source)), tc.want)
			}
			if tc.cel != "" {
				expectHealth(t, tc.why, answering(InterpretHealth, celRule(t, InterpretHealth, tc.cel)), tc.want)
			}
		})
	}
}

func expectHealth(t *testing.T, why string, i *Interpreter, want string) {
	t.Helper()
	health, reason, err := i.Snapshot().HealthReason(site(nil), false)
	got := fmt.Sprintf("%s, %s", health, reason)
	var failure *script.Error
	if errors.As(err, &failure) {
		got = "error: " + failure.Message
	}
	if got != want {
		t.Errorf("%s: got %q, want %q", why, got, want)
	}
}
