// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// redactText redacts the parts of a text that are secret by how they look, or by the name before them.
func redactText(s string) string {
	for _, look := range secretLooks {
		s = look.pattern.ReplaceAllString(s, look.with)
	}
	for _, look := range decodedLooks {
		s = look.pattern.ReplaceAllStringFunc(s, look.replace)
	}
	s = redactNamed(redactURLs(s))
	return redactCommands(redactAssignments(s))
}

// secretLooks are forms of secrets, wherever they stand.
var secretLooks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----[\s\S]*?(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|$)`), redactedText},
	{regexp.MustCompile(`\bPuTTY-User-Key-File-[\s\S]*$`), redactedText},
	{regexp.MustCompile(`\bAGE-SECRET-KEY-1[A-Z0-9]{20,}`), redactedText},
	// JSON Web Tokens, also encrypted ones, and in base64.
	{regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]*\.[\w-]*(\.[\w-]*\.[\w-]*)?`), redactedText},
	{regexp.MustCompile(`\bZXlK[A-Za-z0-9+/]{40,}={0,2}`), redactedText},
	// Cloud providers.
	{regexp.MustCompile(`\b(AKIA|ASIA|AROA|ABIA|ACCA)[A-Z0-9]{16}\b`), redactedText},
	{regexp.MustCompile(`\bAIza[\w-]{30,}`), redactedText},
	{regexp.MustCompile(`\bya29\.[\w-]{20,}`), redactedText},
	{regexp.MustCompile(`\bGOCSPX-[\w-]{20,}`), redactedText},
	{regexp.MustCompile(`\b(LTAI|AKID)[A-Za-z0-9]{16,}\b`), redactedText},
	{regexp.MustCompile(`\b(dop|doo|dor)_v1_[a-f0-9]{32,}\b`), redactedText},
	// Code, packages and images.
	{regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9_]{16,}`), redactedText},
	{regexp.MustCompile(`\bgithub_pat_\w{16,}`), redactedText},
	{regexp.MustCompile(`\bgl(pat|dt|rt|cbt|ptt|ft|soat|imt|agent|ffct|oas|wt)-[\w.-]{10,}`), redactedText},
	{regexp.MustCompile(`\b(npm|hf|pypi|rubygems|figd|sbp|sqp|squ|sqa|bkua|fo1|shpat|shpss|shpca|shppa|rdme|pnu|pscale_tkn|pscale_pw|lin_api|ntn|essu|glsa|glc|dckr_pat|dckr_oat|ATATT3|ATBB|ATCTT3|AKCp|CCIPAT)[_-]?[A-Za-z0-9][\w+/=-]{14,}`), redactedText},
	// Others.
	{regexp.MustCompile(`\bxox[abeoprs](\.xox[bp])?-[\w-]{8,}`), redactedText},
	{regexp.MustCompile(`\bxapp-[\w-]{10,}`), redactedText},
	{regexp.MustCompile(`(?i)(hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/]+`), "${1}" + redactedText},
	{regexp.MustCompile(`(?i)(discord(?:app)?\.com/api/webhooks/)[\w/-]+`), "${1}" + redactedText},
	{regexp.MustCompile(`(?i)(webhook\.office\.com/)[\w/@-]+`), "${1}" + redactedText},
	{regexp.MustCompile(`(?i)(api\.telegram\.org/bot)[\w:-]+`), "${1}" + redactedText},
	{regexp.MustCompile(`\b\d{8,10}:AA[\w-]{30,}`), redactedText},
	{regexp.MustCompile(`\b[prs]k_(live|test|prod)_\w{8,}`), redactedText},
	{regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=]{10,}`), redactedText},
	{regexp.MustCompile(`\bsk-[A-Za-z0-9][\w-]{18,}`), redactedText},
	{regexp.MustCompile(`\bSG\.[\w-]{10,}\.[\w-]{10,}`), redactedText},
	{regexp.MustCompile(`\b(xkeysib|NRAK|NRII|NRJS|PMAK|HRKU|pul|tskey|sq0atp|sq0csp|pat-(na|eu)\d|key|v1\.0)-[A-Za-z0-9][A-Za-z0-9_-]{18,}`), redactedText},
	{regexp.MustCompile(`\bhv[sbr]\.[\w-]{16,}`), redactedText},
	{regexp.MustCompile(`\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{30,}`), redactedText},
	{regexp.MustCompile(`\bdapi[a-f0-9]{32}\b`), redactedText},
	{regexp.MustCompile(`\bdt0[a-z]\d\d\.[A-Z0-9]{16,}\.[A-Z0-9]{32,}`), redactedText},
	{regexp.MustCompile(`\bSK[a-f0-9]{32}\b`), redactedText},
	{regexp.MustCompile(`\b[a-f0-9]{32}-us\d{1,2}\b`), redactedText},
	// Hashes of passwords.
	{regexp.MustCompile(`\$(2[abxy]?|1|5|6|y|apr1|argon2id?)\$[\w./$=,+-]{8,}`), redactedText},
	{regexp.MustCompile(`\{S?SHA(256|512)?\}[A-Za-z0-9+/=]{16,}`), redactedText},
	// What follows a word that says so.
	{regexp.MustCompile(`(?i)\b(login\s+\S+\s+password\s+)\S+`), "${1}" + redactedText},
	{regexp.MustCompile(`(?i)\b((?:identified\s+by|password|passphrase)\s+(?:is\s+)?)'[^']+'`), "${1}'" + redactedText + "'"},
	{regexp.MustCompile(`(?im)^(\s*(?:requirepass|masterauth)\s+)\S+`), "${1}" + redactedText},
	{regexp.MustCompile(`\b(pass:)[^\s"']+`), "${1}" + redactedText},
	{regexp.MustCompile(`\b([\w.-]+:)[^\s"'|:]+(["']?\s*\|\s*(?:sudo\s+)?chpasswd)`), "${1}" + redactedText + "${2}"},
	{regexp.MustCompile(`\b(mc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+)\S+\s+[^\s;|&]+`), "${1}" + redactedText + " " + redactedText},
	{regexp.MustCompile(`(?m)^([\w.*-]+:(?:\d{3,5}|\*):[^:\s]+:[^:\s]+:)\S+$`), "${1}" + redactedText}, // a line of .pgpass
	// The password of a data source.
	{regexp.MustCompile(`(?i)(\bjdbc:oracle:\w+:[^/\s]+/)[^@\s]+@`), "${1}" + redactedText + "@"},
	{regexp.MustCompile(`([\w.-]+:)[^\s"']+(@(?:tcp|unix|udp)\()`), "${1}" + redactedText + "${2}"},
}

// decodedLooks are forms that are secrets by what is in them.
var decodedLooks = []struct {
	pattern *regexp.Regexp
	replace func(string) string
}{
	{regexp.MustCompile(`\bLS0tLS1CRUdJTi[A-Za-z0-9+/\s]+={0,2}`), func(text string) string { // "-----BEGIN " in base64
		if strings.Contains(decoded(strings.Join(strings.Fields(text), "")), "PRIVATE KEY") {
			return redactedText
		}
		return text
	}},
	{regexp.MustCompile(`(?i)\bauthorization["']?([ \t]*[:=][ \t]*["']?|[ \t]+["'])(?:[a-z]+ +)?[^\s"'\\,;{}\[\]]{4,}`), func(text string) string {
		at := strings.LastIndexAny(text, "\"' \t:=")
		for at > 0 && strings.Trim(text[at:], "=:") == "" { // of base64
			at = strings.LastIndexAny(text[:at], "\"' \t:=")
		}
		if isOpen(text[at+1:]) {
			return text
		}
		return text[:at+1] + redactedText
	}},
	{regexp.MustCompile(`(?i)\bbasic +[A-Za-z0-9+/_=-]{4,}`), func(text string) string {
		return redactAfterSpace(text, isUserAndPassword)
	}},
	{regexp.MustCompile(`(?i)\bbearer +[\w.~+/=-]{8,}`), func(text string) string {
		return redactAfterSpace(text, func(token string) bool { return strings.ContainsAny(token, "0123456789_.~+/=") })
	}},
	{regexp.MustCompile(`[\w.-]+:[^\s:@/"']+@[\w.-]+:\d{1,5}\b`), func(text string) string { // user:password@host:port
		user, rest, _ := strings.Cut(text, ":")
		at := strings.LastIndex(rest, "@")
		if host := rest[at+1:]; strings.HasPrefix(host, "sha256:") || strings.HasPrefix(host, "sha512:") {
			return text
		}
		return user + ":" + redactedText + rest[at:]
	}},
}

// redactAfterSpace redacts what stands behind the last space, if it is secret.
func redactAfterSpace(text string, isSecret func(string) bool) string {
	at := strings.LastIndex(text, " ")
	if value := text[at+1:]; value == redactedText || !isSecret(value) {
		return text
	}
	return text[:at+1] + redactedText
}

// decoded returns a text that is in base64 of any kind, as far as it is; "" where it is none.
func decoded(text string) string {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	return string(data)
}

// isUserAndPassword reports whether a text is a user and a password in base64.
func isUserAndPassword(text string) bool {
	plain := decoded(text)
	return strings.Contains(plain, ":") && utf8.ValidString(plain)
}

var (
	urlScheme = regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://`)
	urlEnd    = regexp.MustCompile("[\\s\"'`<>\\\\]")
	portFirst = regexp.MustCompile(`^\d{1,5}([/?#]|$)`)
	// tokenUser is a user of a URL that is a token, as in https://TOKEN@host.
	tokenUser = regexp.MustCompile(`^[A-Za-z0-9_-]{20,}$`)
)

// redactURLs redacts the passwords of URLs, also those with a slash or an @ in them.
func redactURLs(s string) string {
	var out strings.Builder
	for {
		scheme := urlScheme.FindStringIndex(s)
		if scheme == nil {
			return out.String() + s
		}
		out.WriteString(s[:scheme[1]])
		rest := s[scheme[1]:]
		end := len(rest)
		for _, next := range [][]int{urlEnd.FindStringIndex(rest), urlScheme.FindStringIndex(rest)} {
			if next != nil {
				end = min(end, next[0])
			}
		}
		out.WriteString(redactUserInfo(rest[:end]))
		s = rest[end:]
	}
}

// redactUserInfo redacts the password in a URL without its scheme.
func redactUserInfo(url string) string {
	authority, _, _ := strings.Cut(url, "/")
	at, within, colon := strings.LastIndex(url, "@"), strings.LastIndex(authority, "@"), strings.Index(url, ":")
	switch {
	case at < 0:
		return url
	case within >= 0 && (colon < 0 || colon > within): // a user without a password
		if user := url[:within]; tokenUser.MatchString(user) && strings.ContainsAny(user, "0123456789") {
			return redactedText + url[within:]
		}
		return url
	case colon < 0 || colon > at || strings.Contains(url[:colon], "/") || portFirst.MatchString(url[colon+1:at]):
		return url
	case within > colon && (strings.HasPrefix(url[at+1:], "sha256:") || strings.Contains(url[within:at], "?")):
		at = within // the other one is of a digest, or of the query
	}
	if isOpen(url[colon+1 : at]) {
		return url
	}
	return url[:colon+1] + redactedText + url[at:]
}

// namedElement matches a property in the form of XML, and element an element.
var (
	namedElement = regexp.MustCompile(`(<name>\s*([^<]+?)\s*</name>\s*<value>)([^<]*)(</value>)`)
	element      = regexp.MustCompile(`(<([\w.:-]+)(?:\s[^<>]*)?>)([^<>]+)(</)`)
	// namedAttribute matches an element with its name and its value as attributes.
	namedAttribute = regexp.MustCompile(`(\b(?:name|key)="([^"]+)"\s+value=")([^"]*)(")`)
)

// redactNamed redacts values in the form of XML by the names before them.
func redactNamed(s string) string {
	for _, form := range []*regexp.Regexp{namedElement, element, namedAttribute} {
		s = form.ReplaceAllStringFunc(s, func(text string) string {
			part := form.FindStringSubmatch(text)
			if isOpen(part[3]) || !isSecretVariable(part[2], part[3]) {
				return text
			}
			return part[1] + redactedText + part[4]
		})
	}
	return s
}

// encodedText matches a text that is all base64, and not short.
var encodedText = regexp.MustCompile(`^[A-Za-z0-9+/\s]{16,}={0,2}\s*$`)

// redactEncoded redacts a text in base64, if there is a text in it.
func redactEncoded(s string) string {
	if len(s) > maxDocument || !encodedText.MatchString(s) {
		return s
	}
	plain := decoded(strings.Join(strings.Fields(s), ""))
	if plain == "" || !utf8.ValidString(plain) || strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) }) {
		return s
	}
	if changed := redactDocument(redactText(plain)); changed != plain {
		return base64.StdEncoding.EncodeToString([]byte(changed))
	}
	return s
}
