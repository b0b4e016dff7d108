// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	redactedText = "redacted"
	// redactedData is redactedText in base64, for the data of Secrets.
	redactedData = "cmVkYWN0ZWQ="
	// lastApplied is the annotation in which kubectl keeps a whole object.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// Redact returns a copy of an object without what a case has no use for or must not show, and the paths
// of what was taken out or is "redacted" now: managedFields and the last applied configuration; the data
// of a Secret; values of variables, of data and of fields whose names are those of secrets; and texts
// anywhere that look like one, such as keys, tokens and URLs with a password. It finds what has a
// usual name or form; what else is secret, a person must see.
func Redact(object *unstructured.Unstructured) (*unstructured.Unstructured, []string) {
	redacted := object.DeepCopy()
	r := &redactor{}
	r.metadata(redacted.Object)
	if redacted.GetKind() == "Secret" && redacted.GetAPIVersion() == "v1" {
		r.secret(redacted.Object)
	}
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
	if _, has := annotations[lastApplied]; has {
		delete(annotations, lastApplied)
		r.paths = append(r.paths, "metadata.annotations["+lastApplied+"]")
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
}

// secret redacts the data of a Secret.
func (r *redactor) secret(object map[string]any) {
	for field, with := range map[string]string{"data": redactedData, "stringData": redactedText} {
		data, _ := object[field].(map[string]any)
		for key := range data {
			if data[key] != with {
				data[key] = with
				r.paths = append(r.paths, field+"."+key)
			}
		}
	}
}

// value redacts a value and what is below it, at a path and under a key.
func (r *redactor) value(v any, path, key string) any {
	switch x := v.(type) {
	case map[string]any:
		r.object(x, path, key)
	case []any:
		for i := range x {
			x[i] = r.value(x[i], fmt.Sprintf("%s[%d]", path, i), key)
		}
	case string:
		return r.text(x, path, key)
	}
	return v
}

// object redacts a map. A list of env has its names beside the values, and a map of data or env has
// them as keys.
func (r *redactor) object(m map[string]any, path, key string) {
	name, _ := m["name"].(string)
	if isReadable(m["value"]) && secretVariable.MatchString(name) {
		m["value"] = redactedText
		r.paths = append(r.paths, strings.TrimPrefix(path+".value", "."))
	}
	free := slices.Contains(freeMaps, key)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := strings.TrimPrefix(path+"."+k, ".")
		if isSecretKey(k, free) && isReadable(m[k]) {
			m[k] = redactedText
			r.paths = append(r.paths, at)
			continue
		}
		m[k] = r.value(m[k], at, k)
	}
}

// freeMaps are fields whose keys are names of variables.
var freeMaps = []string{"data", "stringData", "env", "binaryData"}

// isSecretKey reports whether the values of a key are secret; free is whether keys name variables.
func isSecretKey(key string, free bool) bool {
	return secretField.MatchString(key) || free && secretVariable.MatchString(key)
}

// isReadable reports whether a value is a text that is neither empty nor redacted.
func isReadable(v any) bool {
	text, isText := v.(string)
	return isText && text != "" && text != redactedText && text != redactedData
}

// text redacts the parts of a text that look like a secret.
func (r *redactor) text(s, path, key string) string {
	changed := s
	for _, look := range secretLooks {
		changed = look.pattern.ReplaceAllString(changed, look.with)
	}
	if key == "args" || key == "command" {
		changed = secretArgument.ReplaceAllString(changed, "${1}"+redactedText)
	}
	if changed != s {
		r.paths = append(r.paths, path)
	}
	return changed
}

var (
	// secretVariable matches names of variables, and keys of data, whose values are secret.
	secretVariable = regexp.MustCompile(`(?i)(passw|passphrase|pwd|secret|token|api[_.-]?key|access[_.-]?key|private[_.-]?key|encryption[_.-]?key|signing[_.-]?key|credential|auth|cookie|dsn|connection[_.-]?string|sas[_.-]?key)`)
	// secretField matches names of fields whose values are secret. Names of fields that refer to a
	// Secret, such as secretName, are none: scripts need them.
	secretField = regexp.MustCompile(`(?i)^(.*password|passwd|passphrase|.*token|.*apikey|.*api_key|.*accesskey|.*access_key|secretkey|secret_key|.*secretaccesskey|clientsecret|client_secret|privatekey|private_key|.*connectionstring)$`)
	// secretArgument matches an argument of a command that has a secret behind its name.
	secretArgument = regexp.MustCompile(`(?i)^(-{1,2}[\w.-]*(?:password|passwd|token|secret|api-?key|access-?key|private-?key)[\w.-]*=).+`)

	// secretLooks are forms of secrets, wherever they stand.
	secretLooks = []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`), redactedText},
		{regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`), redactedText},                          // a JSON Web Token
		{regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`), redactedText},                                // a key of AWS
		{regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,}\b`), redactedText},                             // a token of GitHub
		{regexp.MustCompile(`\bxox[abprs]-[\w-]{10,}`), redactedText},                                    // a token of Slack
		{regexp.MustCompile(`\b([a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@`), "${1}" + redactedText + "@"}, // a URL with a password
		{regexp.MustCompile(`(?i)\b((?:bearer|basic) )[\w.~+/=-]{8,}`), "${1}" + redactedText},
	}
)
