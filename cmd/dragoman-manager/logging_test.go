// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// entries parses a log, one JSON object a line.
func entries(t *testing.T, text string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(text) {
		entry := map[string]any{}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("the line %q is no JSON object: %v", line, err)
			continue
		}
		for _, key := range []string{"ts", "level", "logger", "msg"} {
			if text, ok := entry[key].(string); !ok || text == "" {
				t.Errorf("the line %q has no %s", line, key)
			}
		}
		if _, err := time.Parse(time.RFC3339Nano, entry["ts"].(string)); err != nil {
			t.Errorf("the line %q: %v", line, err)
		}
		if n := strings.Count(line, `"logger":`); n != 1 {
			t.Errorf("the line %q has the key logger %d times", line, n)
		}
		all = append(all, entry)
	}
	return all
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	l := logging{verbosity: 1}
	if err := l.Set("json"); err != nil {
		t.Fatal(err)
	}
	log := l.logger(&out)
	log.WithName("execution").WithValues("work", "karmada-es-one/w").Info("created object in member", "cluster", "one", "replicas", 2)
	log.WithName("execution").WithName("apply").V(1).Info("waited", "reason", "two\nlines \"quoted\"")
	log.V(2).Info("not enabled")
	log.Error(errors.Join(errors.New("first"), errors.New("second")), "failed")
	type m = map[string]any
	want := []m{
		{"level": "info", "logger": "execution", "msg": "created object in member", "work": "karmada-es-one/w", "cluster": "one", "replicas": 2.0},
		{"level": "debug", "logger": "execution.apply", "msg": "waited", "reason": "two\nlines \"quoted\""},
		{"level": "error", "logger": "manager", "msg": "failed", "error": "first\nsecond"},
	}
	if diff := cmp.Diff(want, entries(t, out.String()), cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "ts" })); diff != "" {
		t.Errorf("one object a line, the details as keys (-want +got):\n%s", diff)
	}
}

// TestValues checks how the log writes values that are more than a text or a number.
func TestValues(t *testing.T) {
	var out bytes.Buffer
	(&logging{format: "json"}).logger(&out).Info("saw values",
		"object", types.NamespacedName{Namespace: "a", Name: "b"},
		"kind", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		"reason", errors.New("no reason"),
		"list", []string{"x", "y"},
		"after", 2*time.Second)
	for _, want := range []string{
		`"object":{"name":"b","namespace":"a"}`, `"kind":"apps/v1, Kind=Deployment"`, `"reason":"no reason"`, `"list":["x","y"]`, `"after":"2s"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the entry %q lacks %s", out.String(), want)
		}
	}
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	(&logging{}).logger(&out).WithName("work").Info("created work", "work", "a/b", "reason", "two\nlines")
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 1 {
		t.Errorf("got %d lines, want one an entry:\n%s", len(lines), out.String())
	}
	for _, part := range []string{"level=info", "logger=work", `msg="created work"`, `work=a/b`} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the entry %q lacks %q", out.String(), part)
		}
	}
}

func TestFormat(t *testing.T) {
	var l logging
	if l.String() != "text" {
		t.Errorf("the default is %q, want text", l.String())
	}
	if err := l.Set("xml"); err == nil || !strings.Contains(err.Error(), `"xml" is neither text nor json`) {
		t.Errorf("Set(xml) = %v, want an error that names both formats", err)
	}
}
