// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/test/shared"
)

const publishedForm = `name: a
observedObj: {apiVersion: web.example/v1, kind: Site, metadata: {name: a}}
operation: InterpretHealth
output: {healthy: true}
`

func TestReadPublishedTakesWhatKarmadasRunnerTakes(t *testing.T) {
	for name, text := range map[string]string{
		"as it is":               publishedForm,
		"other case":             "Name: a\nObservedOBJ: {apiVersion: web.example/v1, kind: Site}\nOPERATION: interpretHEALTH\noutPut: {healthy: true}\n",
		"an unknown key":         publishedForm + "notes: [x]\n",
		"a key twice":            "operation: Retain\n" + publishedForm,
		"no name":                strings.Replace(publishedForm, "name: a\n", "", 1),
		"a number for a name":    strings.Replace(publishedForm, "name: a", "name: 5", 1),
		"no output":              strings.Replace(publishedForm, "output: {healthy: true}\n", "", 1),
		"null for output":        strings.Replace(publishedForm, "{healthy: true}", "", 1),
		"nothing in output":      strings.Replace(publishedForm, "{healthy: true}", "{}", 1),
		"other arguments":        publishedForm + "inputReplicas: 3\nstatusItems: []\n",
		"null for an argument":   publishedForm + "inputReplicas:\nstatusItems:\ndesiredObj: null\n",
		"marks and comments":     "# first\n--- # a\n\n---\n" + publishedForm + "---\n# last\n---\n...\n",
		"carriage returns":       strings.ReplaceAll(publishedForm, "\n", "\r\n"),
		"a byte order mark":      "\ufeff" + publishedForm,
		"a mark before the text": "--- {name: a, operation: InterpretHealth, desiredObj: {apiVersion: v1, kind: Site}}\n",
		"an anchor":              "x: &o {apiVersion: v1, kind: Site}\nname: a\ndesiredObj: {<<: *o, spec: {}}\noperation: InterpretHealth\n",
		"tabs between values":    strings.ReplaceAll(publishedForm, ": ", ":\t"),
		"JSON":                   `{"name": "a", "desiredObj": {"apiVersion": "v1", "kind": "Site"}, "operation": "InterpretHealth"}`,
	} {
		all, err := ReadPublished("a.yaml", []byte(text))
		if err != nil || len(all) != 1 {
			t.Errorf("%s: got %d cases, error %v", name, len(all), err)
			continue
		}
		if all[0].Operation.Name != "InterpretHealth" || all[0].Kind().Kind != "Site" {
			t.Errorf("%s: got a case %+v", name, all[0])
		}
	}
}

func TestReadPublishedSaysWhatIsWrongAndWhere(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown operation": {"operation: InterpretHelth\n", `a.yaml:8: there is no operation "InterpretHelth"; did you mean InterpretHealth?`},
		"an unknown result":    {publishedForm + "output: {health: true}\n", `a.yaml:8: output: there is no result of InterpretHealth "health"`},
		"two objects":          {publishedForm + "desiredObj: {apiVersion: v1, kind: Site}\n", "a.yaml:8: InterpretHealth needs exactly one of desiredObj and observedObj"},
		"one object to retain": {"desiredObj: {apiVersion: v1, kind: Site}\noperation: Retain\n", "a.yaml:8: Retain needs desiredObj and observedObj"},
		"an object of no kind": {"desiredObj: {apiVersion: v1}\noperation: InterpretHealth\n", "a.yaml:8: error unmarshaling JSON"},
		"no YAML":              {"name: [a\n", "a.yaml:8: did not find expected ',' or ']'"},
	} {
		all, err := ReadPublished("a.yaml", []byte(publishedForm+"---\n# a comment\n\n"+c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want %s", name, err, c.want)
		}
		if len(all) != 1 || all[0].Line != 1 {
			t.Errorf("%s: got %d cases; want the good one", name, len(all))
		}
	}
}

func TestReadPublishedPassesOverWhatIsNoCase(t *testing.T) {
	for _, text := range []string{"", "# a\n---\n", "apiVersion: v1\nkind: Pod\n", "- a\n", "5\n"} {
		if all, err := ReadPublished("a.yaml", []byte(text)); len(all) > 0 || err != nil {
			t.Errorf("%q: got %d cases, error %v; want nothing", text, len(all), err)
		}
	}
}

func FuzzReadPublished(f *testing.F) {
	f.Add(publishedForm + "---\n" + publishedForm)
	f.Add("desiredObj: {kind: SiteList, items: [1]}\noperation: Retain\nstatusItems: [{status: [}]")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		all, err := ReadPublished("a.yaml", []byte(text))
		for _, c := range all {
			if c.Line < 1 || c.Line > lines {
				t.Errorf("line %d of %d", c.Line, lines)
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "a.yaml:") {
			t.Errorf("an error without a place: %v", err)
		}
	})
}

func TestPublishedItems(t *testing.T) {
	const form = "desiredObj: {apiVersion: v1, kind: Site}\noperation: AggregateStatus\n"
	for text, want := range map[string]string{
		"":                  "null",
		"statusItems:":      "null",
		"statusItems: []":   "[]",
		"statusItems: [{}]": `[{"applied":false,"clusterName":"","health":""}]`,
		"StatusItems: [{x: 1, ClusterName: 7, Status: {a: {}}, applied: true, appliedMessage: b, health: Healthy}]": `[{"applied":true,` +
			`"appliedMessage":"b","clusterName":"7","health":"Healthy","status":{"a":{}}}]`,
		"statusItems: [{clusterName: m, status: null}]": `[{"applied":false,"clusterName":"m","health":""}]`,
	} {
		got, err := json.Marshal(onlyPublished(t, form+text).Question.Items)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, error %v; want %s", text, got, err, want)
		}
	}
}

func onlyPublished(t *testing.T, text string) *Case {
	t.Helper()
	all, err := ReadPublished("a.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d cases, error %v, from\n%s", len(all), err, text)
	}
	return all[0]
}

func TestPublishedResultsAreComparedAsKarmadasRunnerDoes(t *testing.T) {
	for name, c := range map[string]struct{ operation, answer, output, want string }{
		"an unknown field of a type": {
			"InterpretComponent", "answer: [{name: a, replicas: 1}]", "output: {components: [{name: a, replicas: 1, extra: x}]}", "",
		},
		"a quantity by value": {
			"InterpretReplica", "answer: 2, requires: {resourceRequest: {cpu: 1000m}}", "output: {replica: 2, requires: {resourceRequest: {cpu: 1}}}", "",
		},
		"empty requirements":  {"InterpretReplica", "answer: 2", "output: {replica: 2, requires: {}}", ""},
		"null requirements":   {"InterpretReplica", "answer: 2", "output: {replica: 2, requires: null}", ""},
		"no components":       {"InterpretComponent", "x: 1", "output: {components: []}", ""},
		"no dependencies":     {"InterpretDependency", "answer: []", "output: {dependencies: null}", ""},
		"a wrong type":        {"InterpretComponent", "answer: [{name: a, replicas: 1}]", "output: {components: text}", `components "text" [{"name":"a","replicas":1}]`},
		"a wrong requirement": {"InterpretReplica", "answer: 2", "output: {replica: 2, requires: {namespace: a}}", `requires {"namespace":"a"} null`},
		"an excluded path":    {"InterpretStatus", "answer: {a: [{t: 1, b: 2}]}", "output: {status: {a: [{t: '{{EXCLUDE}}', b: 2}]}}", ""},
		"the rest of it":      {"InterpretStatus", "answer: {a: [{t: 1, b: 2}]}", "output: {status: {a: [{t: '{{EXCLUDE}}', b: 3}]}}", "status.a[0].b 3 2"},
		"large numbers round": {"InterpretStatus", "answer: {a: 1717599148930123456, b: 9007199254740993}", "output: {status: {a: 1717599148930123457, b: 9007199254740992}}", ""},
		"an empty map":        {"InterpretStatus", "answer: {a: {}}", "output: {status: {}}", "status.a  {}"},
	} {
		r := runnerOf(t)
		r.AllowUnchecked = true
		text := strings.NewReplacer("ANSWER", c.answer, "OPERATION", c.operation, "OUTPUT", c.output).Replace(form)
		if got := describe(r.Run(onlyPublished(t, text)).Failures); got != c.want {
			t.Errorf("%s: got failures %s; want %s", name, got, c.want)
		}
	}
}

// scalars are texts that YAML 1.1 and its readers do not agree about.
var scalars = []string{
	"yes", "no", "on", "off", "y", "n", "Yes", "TRUE", "~", "null", "", "0755", "0o755", "1_000", "1e3", ".5", "5.", "0x1F", "-0x1F", "0b101",
	"9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "1.0", "-0", "1e400",
	"2026-01-02", "2026-01-02T03:04:05Z", "12:30:45", "190:20:30", "'yes'", `"0755"`, "=", "<<", "2048m", "+1", "1:2", "!!str 5", "|\n  a\n  b", "*x", ".inf",
}

func TestDocumentsAreReadAsKubectlReadsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and seconds under the race detector")
	}
	for _, scalar := range scalars {
		text := fmt.Sprintf("x: &x 7\nv: %s\nl: [1, {k: w}]\n", scalar)
		t.Run(scalar, func(t *testing.T) { agrees(t, text) })
	}
	for _, name := range []string{"cases", "real"} {
		t.Run(name, func(t *testing.T) { agreesBelow(t, shared.Folder(t, name)) })
	}
}

// agreesBelow checks all documents of the YAML files below a folder.
func agreesBelow(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !IsYAML(path) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parts, err := yamldoc.Split(path, data)
		for _, part := range parts {
			agrees(t, string(part.Text))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// agrees checks that a document has the values that kubectl reads in it.
func agrees(t *testing.T, text string) {
	t.Helper()
	var want any
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(data, &want)
	}
	nodes, failure := yamldoc.Read("a.yaml", []byte(text))
	if err != nil || failure != nil {
		if (err == nil) != (failure == nil) {
			t.Errorf("kubectl returns error %v, yamldoc.Read %v, from\n%s", err, failure, text)
		}
		return
	}
	if len(nodes) != 1 {
		t.Fatalf("got %d documents from\n%s", len(nodes), text)
	}
	if d := cmp.Diff(want, nodes[0].Value); d != "" {
		t.Errorf("kubectl -, yamldoc.Read +:\n%s", d)
	}
}
