// SPDX-License-Identifier: Apache-2.0

// Package redact takes secrets out of objects: by their places in what Kubernetes knows, by the names of
// variables, fields, settings and arguments, and by how they look. Objects go in, and copies come out, with
// the paths of what was taken. It reads no Secret, and knows no kind but that one.
package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	redactedText = "redacted"
	// redactedData is redactedText in base64, for the data of Secrets.
	redactedData = "cmVkYWN0ZWQ="
	// appliedByRancher is an annotation with a whole object, packed; those of others, such as
	// kubectl.kubernetes.io/last-applied-configuration, have last-applied in their names.
	appliedByRancher = "objectset.rio.cattle.io/applied"
)

// Object returns a copy of an object without what a case has no use for or must not show, and the paths
// of what was taken out or is "redacted" now, sorted: managedFields and the last applied configuration;
// the data of Secrets, also of those inside of it; values of variables, of settings and of fields whose
// names are those of secrets; arguments of commands, and assignments in scripts and files; and texts
// anywhere that look like one, such as keys, tokens and URLs with a password. It finds what has a
// usual name or form; what else is secret, a person must see. Names of Secrets and of their keys stay,
// as do references to variables. Redacting once more changes nothing.
func Object(object *unstructured.Unstructured) (*unstructured.Unstructured, []string) {
	redacted := object.DeepCopy()
	r := &redactor{}
	r.metadata(redacted.Object)
	r.value(redacted.Object, "", "")
	slices.Sort(r.paths)
	return redacted, slices.Compact(r.paths)
}

// redactor takes secrets out of one object.
type redactor struct{ paths []string }

// metadata removes what programs wrote for themselves.
func (r *redactor) metadata(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	if _, has := metadata["managedFields"]; has {
		delete(metadata, "managedFields")
		r.paths = append(r.paths, "metadata.managedFields")
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	for name := range annotations {
		if strings.Contains(name, "last-applied") || name == appliedByRancher {
			delete(annotations, name)
			r.paths = append(r.paths, "metadata.annotations["+name+"]")
		}
	}
	if annotations != nil && len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// secret redacts the data of a Secret, at a path.
func (r *redactor) secret(object map[string]any, at string) {
	for field, with := range map[string]string{"data": redactedData, "stringData": redactedText} {
		data, _ := object[field].(map[string]any)
		for key := range data {
			if data[key] != with {
				data[key] = with
				r.paths = append(r.paths, strings.TrimPrefix(at+"."+field+"."+key, "."))
			}
		}
	}
}

// value redacts a value and what is below it, at a path and under a key.
func (r *redactor) value(v any, at, key string) any {
	switch x := v.(type) {
	case map[string]any:
		r.object(x, at, key)
	case []any:
		r.list(x, at, key, "")
	case string:
		return r.text(x, at)
	}
	return v
}

// list redacts a list, whose texts may be the words of a command; program is what they are given to, ""
// for the first word, or for an unknown one.
func (r *redactor) list(l []any, at, key, program string) {
	if words, are := textsOf(l); are {
		for i, word := range redactWords(words, program) {
			switch {
			case word != words[i]:
				l[i] = word
				r.paths = append(r.paths, fmt.Sprintf("%s[%d]", at, i))
			case isSecretField(key, word) && !isOpen(word):
				l[i] = redactedText
				r.paths = append(r.paths, fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	for i := range l {
		l[i] = r.value(l[i], fmt.Sprintf("%s[%d]", at, i), key)
	}
}

// textsOf returns a list as texts, if all of it are.
func textsOf(l []any) ([]string, bool) {
	all := make([]string, len(l))
	for i := range l {
		text, is := l[i].(string)
		if !is {
			return nil, false
		}
		all[i] = text
	}
	return all, true
}

// object redacts a map under a key. Items of a list have their names beside their values, and maps of
// data or settings have them as keys.
func (r *redactor) object(m map[string]any, at, key string) {
	if m["kind"] == "Secret" && m["apiVersion"] == "v1" {
		r.secret(m, at)
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		below := strings.TrimPrefix(at+"."+k, ".")
		if list, is := m[k].([]any); is && k == "args" {
			r.list(list, below, k, programOf(m))
			continue
		}
		if isSecretIn(m, k, key) {
			m[k] = redactedText
			r.paths = append(r.paths, below)
			continue
		}
		m[k] = r.value(m[k], below, k)
	}
}

// programOf returns the program of a container; "" where it is unknown.
func programOf(container map[string]any) string {
	command, _ := container["command"].([]any)
	if len(command) == 0 {
		return ""
	}
	program, _ := command[0].(string)
	return path.Base(program)
}

// isSecretIn reports whether a key of a map, which is under a key itself, has a secret as its value: a
// text, or a number that is a password.
func isSecretIn(m map[string]any, k, key string) bool {
	text, is := m[k].(string)
	switch m[k].(type) {
	case int64, float64:
		text, is = fmt.Sprint(m[k]), isPassword(k)
	}
	if !is || isOpen(text) {
		return false
	}
	if k == "value" {
		for _, named := range []string{"name", "key"} {
			if name, _ := m[named].(string); name != "" && isSecretVariable(name, text) {
				return true
			}
		}
		return isSecretField(key, text)
	}
	if k == "secretKey" && m["remoteRef"] != nil {
		return false // the key of a Secret that an ExternalSecret writes
	}
	return isSecretKey(k, key, text)
}

// isSecretKey reports whether the value of a key is secret in a map that is under a key.
func isSecretKey(k, under, value string) bool {
	switch {
	case strings.ContainsAny(k, " \t\n"):
		return false // a text, and no name
	case under == "annotations" || under == "labels":
		return isSecretVariable(k, value) && !(namesSecret(k) && isObjectName(value))
	case slices.Contains(freeMaps, under) || !isFieldName(k):
		return isSecretVariable(k, value)
	}
	return isSecretField(k, value)
}

// freeMaps are fields whose keys are names of variables.
var freeMaps = []string{"data", "stringData", "env", "binaryData"}

// text redacts the parts of a text that are secret: by how they look, by the names before them, and, where
// the text is a document itself, by their places in it.
func (r *redactor) text(s, at string) string {
	changed := redactEncoded(redactDocument(redactText(s)))
	if changed != s {
		r.paths = append(r.paths, at)
	}
	return changed
}

// maxDocument is how long a text is, in bytes, that is read as a document.
const maxDocument = 1 << 20

// redactDocument returns a text of YAML or JSON documents with their secrets redacted. A document keeps its
// form unless it has one.
func redactDocument(s string) string {
	if len(s) > maxDocument || !strings.ContainsAny(s, ":,") {
		return s
	}
	all := strings.SplitAfter(s, "\n---")
	for i := range all {
		text, separator := all[i], ""
		if i < len(all)-1 {
			text, separator = strings.TrimSuffix(text, "---"), "---"
		}
		head := ""
		if i > 0 { // what stands behind the separator in its line
			if end := strings.IndexByte(text, '\n'); end >= 0 {
				head, text = text[:end+1], text[end+1:]
			}
		}
		all[i] = head + redactOne(text) + separator
	}
	return strings.Join(all, "")
}

// redactOne is redactDocument for one document.
func redactOne(s string) string {
	trimmed := strings.TrimSpace(s)
	isJSON := strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")
	if !isJSON && !strings.Contains(trimmed, "\n") {
		return s
	}
	var document any
	if err := yaml.Unmarshal([]byte(s), &document); err != nil {
		return s
	}
	inner := &redactor{}
	switch document.(type) {
	case map[string]any, []any:
		inner.value(document, "", "")
	}
	if len(inner.paths) == 0 {
		return s
	}
	text, err := yaml.Marshal(document)
	if isJSON {
		text, err = json.Marshal(document)
	}
	if err != nil {
		return redactedText
	}
	return string(text)
}
