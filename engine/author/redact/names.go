// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// wordOf matches the words of a name: aName, A_NAME, a-name, a.name2.
	wordOf = regexp.MustCompile(`[A-Z]+(?:[^A-Za-z]|$)|[A-Z]?[a-z]+|[A-Z]+|[0-9]+`)
	// fieldName matches names of fields in objects.
	fieldName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	// objectName matches names of objects, with their namespace or without.
	objectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(/[a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$`)
	// open matches values that are no secret, whatever their name: switches, references to variables and to
	// where a secret is kept, and what is redacted already.
	open = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|none|null|nil|enabled|disabled|optional|required|redacted|\*+|` +
		`\$\(\w+\)|\$\(cat [^()]*\)|\$\(< ?[^()]*\)|` + "`cat [^`]*`" + `|\$\{\w+\}|\$\w+|%\w+%|\{\{.*\}\}|<[^<>]*>|` +
		`(vault:|ref\+|secretref:|op://|arn:aws:secretsmanager:|file:|env:|projects/[^/]+/secrets/).*)$`)
	number = regexp.MustCompile(`^[0-9.]+$`)
	// place matches paths of files with secrets, and mounted what some settings have: a Secret and its path.
	place   = regexp.MustCompile(`^/(var|run|etc|mnt|secrets?|home|opt|tmp|vault|root|usr|srv|app|data|config|certs?|keys?)(/[\w.-]+)+$`)
	mounted = regexp.MustCompile(`^[a-z0-9.-]+:(/[\w.-]+)+$`)
)

// wordsOf returns the words of a name in lower case, without numbers.
func wordsOf(name string) []string {
	if at := strings.LastIndex(name, "/"); at >= 0 && at < len(name)-1 {
		name = name[at+1:]
	}
	var all []string
	for _, word := range wordOf.FindAllString(splitAcronyms.ReplaceAllString(name, "${1}_${2}"), -1) {
		if word = strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return r < 'A' })); strings.Trim(word, "_") != "" {
			all = append(all, strings.Trim(word, "_"))
		}
	}
	return all
}

// splitAcronyms matches where an acronym ends before a word, as in APIKey.
var splitAcronyms = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)

// secretWords are words that name a secret; secretEnds are how words end that do, such as pgpassword.
var (
	secretWords = []string{
		"password", "passwords", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pswd", "secret", "secrets", "token", "tokens",
		"credential", "credentials", "creds", "cred", "dsn", "authorization", "apikey", "bearer", "keytab", "pgpass", "netrc", "mnemonic",
		"dockerconfigjson", "dockercfg", "masterauth", "passin", "passout", "sas", "htpasswd", "psk", "passwort", "kennwort", "senha", "contrasena",
	}
	secretEnds = []string{"password", "passwd", "passphrase", "passwort", "pwd", "pw", "pass", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "dsn"}
	// lastWords name a secret at the end of a name only.
	lastWords = []string{"auth", "cookie", "salt", "otp", "totp", "sig", "signature", "jwt", "pat", "hmac"}
	// noPass are words that end in pass, and are none.
	noPass = []string{"bypass", "compass", "encompass", "surpass", "overpass", "underpass", "trespass", "multipass", "singlepass"}
	// keysOf are words before key that make it a secret.
	keysOf = []string{
		"api", "access", "secret", "private", "encryption", "signing", "signature", "account", "shared", "master", "auth", "session",
		"storage", "hmac", "sas", "license", "licence", "admin", "root", "consumer", "app", "application", "deploy", "subscription",
		"crypto", "cipher", "aes", "rsa", "jwt", "cookie", "oauth", "ingest", "ingestion", "integration", "routing", "webhook", "fernet",
		"decryption", "unseal", "recovery", "instrumentation", "ssh", "gpg", "pgp", "sse", "kms", "wireguard", "preshared",
	}
	// aboutWords say at the end of a name that its value is about a secret, and none: its name, place or life.
	aboutWords = []string{
		"name", "names", "ref", "refs", "reference", "selector", "file", "files", "filename", "path", "paths", "dir", "directory", "url", "uri", "endpoint",
		"endpoints", "host", "port", "server", "address", "ttl", "type", "types", "kind", "mount", "policy", "version", "namespace", "expiry",
		"expiration", "expires", "seconds", "minutes", "hours", "days", "duration", "lifetime", "lifespan", "timeout", "interval", "length", "size", "limit",
		"count", "enabled", "enable", "disabled", "required", "issuer", "audience", "audiences", "review", "reviewer", "method", "mode", "algorithm",
		"alg", "provider", "class", "store", "format", "header", "headers", "field", "label", "prefix", "suffix", "from", "source", "volume",
		"template", "user", "username", "login", "realm", "scope", "scopes", "claim", "claims", "role", "roles", "rotation", "strength",
		"bucket", "rate", "budget", "window", "second", "minute", "manager", "service", "controller", "operator", "generator", "resolver", "plugin", "engine",
		"backend", "stdin", "prompt", "checksum", "digest", "fingerprint", "revision", "generation", "status", "state", "reason", "message", "phase",
		"condition", "encoding", "domain", "cidr", "property", "through", "used", "renewal", "request", "requests", "subject", "exchange", "grant", "location",
	}
	// asIs are words at the end of a name that change nothing about what it names.
	asIs = []string{"value", "base", "plain", "plaintext", "encoded", "hash", "old", "new", "current", "previous", "primary", "secondary", "text", "string", "data"}
	// names Secret objects by these words, in fields; with one of ownSecrets before it is a secret itself.
	objectWords = []string{"secret", "secrets", "credential", "credentials", "creds"}
	ownSecrets  = []string{"client", "app", "application", "shared", "consumer", "api", "oauth", "hmac", "jwt", "signing", "cookie", "webhook", "access", "session"}
)

// isOpen reports whether a value is no secret, whatever its name.
func isOpen(value string) bool {
	value = strings.Trim(value, "\"' ")
	return value == "" || value == redactedData || open.MatchString(value)
}

// isFieldName reports whether a name is one as fields of objects have.
func isFieldName(name string) bool { return fieldName.MatchString(name) }

// isObjectName reports whether a value may be the name of an object.
func isObjectName(value string) bool { return len(value) <= 253 && objectName.MatchString(value) }

// areObjectNames reports whether a value may be a list of names of objects, with where they are mounted
// or without.
func areObjectNames(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(",; ", r) })
	return !slices.ContainsFunc(parts, func(part string) bool { return !isObjectName(part) && !mounted.MatchString(part) })
}

// isSecretWord reports whether a word names a secret.
func isSecretWord(word string) bool {
	if slices.Contains(secretWords, word) || strings.Contains(word, "password") && word != "passwordless" {
		return true
	}
	return !slices.Contains(noPass, word) && slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(word, end) })
}

// isKey reports whether the word at i is key, and with the word before it a secret.
func isKey(words []string, i int) bool {
	return i > 0 && (words[i] == "key" || words[i] == "keys") && slices.Contains(keysOf, words[i-1])
}

// isSecretAt reports whether a name is that of a secret by its word at i, and the one before it.
func isSecretAt(words []string, i int) bool {
	return isSecretWord(words[i]) || isKey(words, i) || isConnection(words, i)
}

// isConnection reports whether the words up to i are a connection string.
func isConnection(words []string, i int) bool {
	return i > 0 && (words[i] == "string" || words[i] == "str") && (words[i-1] == "connection" || words[i-1] == "conn")
}

// isSecretVariable reports whether a value is secret by the name of a variable, a setting, an argument or
// a key of data: one of the words is that of a secret, and the last one does not say that it is about
// one only.
func isSecretVariable(name, value string) bool {
	words := wordsOf(name)
	n := len(words)
	if name == "client-certificate-data" || name == "certificate-authority-data" {
		return true
	}
	if n == 0 || isAboutSecrets(words, value) || name == "PWD" || name == "OLDPWD" {
		return false
	}
	for i := range words {
		if isSecretAt(words, i) {
			return true
		}
	}
	last := words[n-1]
	if last == "data" && n > 1 {
		last = words[n-2] // client-key-data
	}
	return slices.Contains(lastWords, last) && !isMode(value) || (last == "key" || last == "keys") && looksRandom(value)
}

// isAboutSecrets reports whether the words of a name, or the value, say that the value is none: a name, a
// place, a number of tokens, or what is public.
func isAboutSecrets(words []string, value string) bool {
	has := func(some ...string) bool {
		return slices.ContainsFunc(some, func(w string) bool { return slices.Contains(words, w) })
	}
	last := len(words) - 1
	switch {
	case slices.Contains(aboutWords, words[last]) && !isConnection(words, last):
		return true
	case place.MatchString(value) || mounted.MatchString(value):
		return true
	case words[last] == "secrets" && areObjectNames(value):
		return true
	case number.MatchString(value) && has("max", "min", "num", "total", "per"):
		return true
	}
	return has("checksum", "public", "ref", "refs")
}

// isSecretField reports whether a value is secret by the name of a field of an object, whose last
// words say what it is. A field that ends in Secret names an object, unless its value cannot be the name
// of one.
func isSecretField(name, value string) bool {
	words := wordsOf(name)
	for len(words) > 1 && slices.Contains(asIs, words[len(words)-1]) && !isConnection(words, len(words)-1) {
		words = words[:len(words)-1]
	}
	n := len(words)
	if n == 0 || slices.Contains(words, "public") {
		return false
	}
	last := words[n-1]
	switch {
	case slices.Contains(objectWords, last):
		return n > 1 && slices.Contains(ownSecrets, words[n-2]) || !isObjectName(value)
	case last == "auth":
		return isUserAndPassword(value)
	case last == "jwt" || last == "signature" || last == "sas":
		return looksRandom(value)
	}
	return isSecretAt(words, n-1)
}

// namesSecret reports whether a name ends in a word that names a Secret object.
func namesSecret(name string) bool {
	words := wordsOf(name)
	return len(words) > 0 && slices.Contains(objectWords, words[len(words)-1])
}

// isPassword reports whether a field is a password, which may be a number too.
func isPassword(name string) bool {
	words := wordsOf(name)
	return len(words) > 0 && strings.HasSuffix(words[len(words)-1], "password")
}

// isMode reports whether a value is a way to log in, and not what with.
func isMode(value string) bool {
	return slices.Contains([]string{"basic", "digest", "oidc", "ldap", "tls", "mtls", "token", "jwt", "oauth2", "sasl", "scram", "plain", "kerberos", "iam", "cert"}, strings.ToLower(value))
}

var randomText = regexp.MustCompile(`^[A-Za-z0-9+/_=.:~-]{16,}$`)

// looksRandom reports whether a value may be a key: long, of letters and digits, and of many of them.
func looksRandom(value string) bool {
	if !randomText.MatchString(value) || strings.HasPrefix(value, "/") || !strings.ContainsAny(value, "0123456789") {
		return false
	}
	distinct := map[rune]bool{}
	for _, r := range value {
		distinct[r] = true
	}
	return len(distinct) >= 8
}
