// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// passwordFlags are the short flags of programs that have a password behind them, or at them.
	passwordFlags = map[string]string{
		"mysql": "-p", "mysqldump": "-p", "mysqladmin": "-p", "mysqlimport": "-p", "mysqlcheck": "-p", "mariadb": "-p", "mariadb-dump": "-p", "mariadb-admin": "-p",
		"mongo": "-p", "mongosh": "-p", "mongodump": "-p", "mongorestore": "-p", "sshpass": "-p", "docker": "-p", "podman": "-p", "helm": "-p", "cqlsh": "-p",
		"sqlcmd": "-P", "bcp": "-P", "redis-cli": "-a", "valkey-cli": "-a", "keydb-cli": "-a", "ldapsearch": "-w", "ldapadd": "-w", "ldapmodify": "-w",
		"ldapdelete": "-w", "ldapwhoami": "-w", "smbclient": "-P", "htpasswd": "-b", "nats": "-p", "rabbitmqadmin": "-p", "az": "-p", "oc": "-p", "argocd": "-p",
	}
	// attached are the programs that take the password without a space, as -pPASSWORD.
	attached = []string{"mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mariadb", "mariadb-dump", "mariadb-admin", "sshpass"}
	// noPasswords are programs whose -p is something else.
	noPasswords = []string{"mkdir", "cp", "ssh", "scp", "nc", "ps", "kill", "install", "rsync", "tar", "read", "grep", "sed", "nmap", "psql", "pg_dump", "pg_isready", "python", "python3", "touch", "java", "cargo", "go", "npm", "make", "git", "declare", "export", "trap", "test", "patch", "telnet", "chown", "su", "redis-server", "gunicorn", "uvicorn", "flask"}
	// userFlags have a user and a password behind them, joined by a colon.
	userFlags = []string{"u", "user", "U", "proxy-user", "basic-auth", "auth", "creds", "credentials", "http-user", "login"}
	// wrappers run the program that follows them.
	wrappers = []string{"sudo", "env", "exec", "time", "nohup", "command", "then", "do", "else", "if", "while", "until", "!", "nice", "timeout", "xargs", "watch"}
	// setters have a name and a value behind them.
	setters = []string{"set", "setx", "config:set", "put", "--build-arg"}
	// switches are the first words of flags that say how a secret is asked for or used.
	switches = []string{"no", "ask", "use", "with", "without", "prompt", "skip", "allow", "require", "enable", "disable", "show", "generate", "reset", "rotate", "print", "is", "has"}

	placeOrNumber   = regexp.MustCompile(`^([./~].*|[0-9:.,/-]+|[\w.-]+=[^=].*)$`)
	userAndPassword = regexp.MustCompile(`^([^\s:/]+:)([^\s].*)$`)
	numbers         = regexp.MustCompile(`^[0-9]+:[0-9]+$`)
	variableWord    = regexp.MustCompile(`^\w+=`)
)

// redactWords redacts the words of a command, of which program is the one that they are given to; "" means
// that it is the first word, or unknown. As many words are returned.
func redactWords(words []string, program string) []string {
	c := command{words: slices.Clone(words), program: program}
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case strings.HasPrefix(word, "-") && len(word) > 1:
			i += c.flag(i)
		case i > 0 && i+1 < len(words) && slices.Contains(setters, words[i-1]) && !isOpen(words[i+1]) && isSecretVariable(word, words[i+1]):
			i++
			c.words[i] = redactedText
		case c.program == "" && !variableWord.MatchString(word) && !slices.Contains(wrappers, word):
			c.program = path.Base(word)
		}
	}
	return c.words
}

// command is the words of one command.
type command struct {
	words   []string
	program string
}

// flag redacts the value of the flag at i, in the word or behind it, and returns how many words behind it
// belong to it.
func (c command) flag(i int) int {
	word := c.words[i]
	name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if has {
		if with, is := c.secretOf(name, value); is {
			c.words[i] = word[:len(word)-len(value)] + with
		}
		return 0
	}
	if flag := passwordFlags[c.program]; slices.Contains(attached, c.program) && strings.HasPrefix(word, flag) && len(word) > len(flag) && !isOpen(word[len(flag):]) {
		c.words[i] = flag + redactedText
		return 0
	}
	if i+1 == len(c.words) || isFlag(c.words[i+1]) || isSwitch(name) {
		return 0
	}
	with, is := c.secretOf(name, c.words[i+1])
	if !is {
		return 0
	}
	c.words[i+1] = with
	return 1
}

// secretOf returns what stands for the value of a flag that is secret.
func (c command) secretOf(name, value string) (string, bool) {
	if isOpen(value) {
		return "", false
	}
	if slices.Contains(userFlags, name) {
		part := userAndPassword.FindStringSubmatch(value)
		if part != nil && !strings.HasPrefix(part[2], "//") && part[1] != "system:" && !numbers.MatchString(value) && !isOpen(part[2]) && !slices.Contains([]string{"docker", "podman", "chown", "su", "install"}, c.program) {
			return part[1] + redactedText, true
		}
		if name != "auth" && name != "creds" && name != "credentials" {
			return "", false
		}
	}
	if len(name) == 1 {
		return redactedText, c.isPasswordFlag("-"+name, value)
	}
	return redactedText, isSecretVariable(name, value)
}

// isPasswordFlag reports whether a value behind a short flag is a password: -p is one where the program
// is not known to mean something else, unless the value is a place or a number.
func (c command) isPasswordFlag(flag, value string) bool {
	if known := passwordFlags[c.program]; known != "" && known != "-p" {
		return known == flag
	}
	return flag == "-p" && !slices.Contains(noPasswords, c.program) && !placeOrNumber.MatchString(value)
}

// isFlag reports whether a word is a flag, and no value of one.
func isFlag(word string) bool {
	return strings.HasPrefix(word, "--") || len(word) == 2 && word[0] == '-'
}

// isSwitch reports whether a flag has no value behind it, by how its name begins.
func isSwitch(name string) bool {
	words := wordsOf(name)
	return len(words) > 1 && slices.Contains(switches, words[0])
}

// redactCommands redacts the words of the commands of a script.
func redactCommands(s string) string {
	if !strings.Contains(s, "-") {
		return s
	}
	r := &scriptRedactor{text: s}
	for at := 0; at < len(s); {
		switch {
		case strings.ContainsRune(" \t\r", rune(s[at])):
			at++
		case strings.ContainsRune("\n;|&()", rune(s[at])):
			at++
			r.end(at)
		case strings.HasPrefix(s[at:], "\\\n"):
			at += 2 // the command goes on
		default:
			w := shellWordAt(s, at)
			r.words = append(r.words, w)
			at = w.to
		}
	}
	r.end(len(s))
	return r.out.String()
}

// scriptRedactor writes a script without its secrets.
type scriptRedactor struct {
	text string
	out  strings.Builder
	// from is where what is not written yet begins, and words are those of its command.
	from  int
	words []shellWord
}

// end writes the command that ends at a place.
func (r *scriptRedactor) end(to int) {
	words := make([]string, len(r.words))
	for i, w := range r.words {
		words[i] = w.text
	}
	for i, word := range redactWords(words, "") {
		w := r.words[i]
		quote := ""
		if w.whole {
			quote = w.quote
		}
		if word == w.text && w.quote != "" && strings.ContainsAny(word, " \t\n") {
			word, quote = redactCommands(word), w.quote // a script in a script
		}
		if word != w.text {
			r.out.WriteString(r.text[r.from:w.from] + quote + word + quote)
			r.from = w.to
		}
	}
	r.out.WriteString(r.text[r.from:to])
	r.from, r.words = to, nil
}

// shellWord is a word of a script.
type shellWord struct {
	from, to int
	// text is the word without quotes, which quote is one of; whole means that they are around all of it.
	text, quote string
	whole       bool
}

// shellWordAt returns the word that begins at a place.
func shellWordAt(s string, from int) shellWord {
	w := shellWord{from: from}
	var text strings.Builder
	at := from
	for at < len(s) && !strings.ContainsRune(" \t\r\n;|&()", rune(s[at])) {
		switch c := s[at]; {
		case c == '\\' && at+1 < len(s) && s[at+1] != '\n':
			text.WriteString(s[at+1 : at+2])
			at += 2
		case c == '\\':
			w.to, w.text = at, text.String()
			if at == from {
				w.to++
			}
			return w
		case c == '"' || c == '\'':
			end := quotedEnd(s[at+1:], string(c))
			text.WriteString(s[at+1 : at+1+end])
			w.quote, w.whole = string(c), at == from
			at = min(len(s), at+end+2)
		case strings.HasPrefix(s[at:], "$("):
			end := max(2, substitutionEnd(s[at:]))
			text.WriteString(s[at : at+end])
			at += end
		default:
			text.WriteByte(c)
			at++
		}
	}
	w.to, w.text, w.whole = at, text.String(), w.whole && at == from+len(text.String())+2
	return w
}
