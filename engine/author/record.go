// SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/compare"
	"github.com/dragoman-io/dragoman/engine/script"
)

// RecordOptions choose which cases are recorded of an object.
type RecordOptions struct {
	// Object is what the scripts are asked about. It is written as it is; see Redact.
	Object *unstructured.Unstructured
	// Name begins the names of the cases; "" is that of the object.
	Name string
	// Operations are those that are asked; none is all that the bundle answers.
	Operations []engine.Op
	// Failing records the errors of scripts too, as what is expected.
	Failing bool
}

// RecordedCases is a file of cases with the answers that the scripts have now.
type RecordedCases struct {
	Text []byte
	// Cases are the names of the cases.
	Cases []string
	// Unasked are the operations that the object gives no question for.
	Unasked []compare.Unasked
}

// ErrNothingRecorded is returned where the bundle answers none of the questions.
var ErrNothingRecorded = errors.New("the bundle answers nothing about the object")

// reviewMark is the comment above each case that no person has read.
const reviewMark = "# NEEDS REVIEW: this is what the script answered, which need not be right. Delete the line once it is read.\n"

// RecordCases asks the scripts of the bundle in dir about an object, and returns the answers as cases.
// Each is marked as one to be reviewed, and passes as it stands. What a question takes beside the object
// is what the scripts answer about it, as Operation.Sample has it.
//
// The error joins those of all scripts that fail, unless they are to be recorded; ErrNothingRecorded
// stands for a bundle that answers nothing.
func RecordCases(c *engine.Compiler, fsys fs.FS, dir string, o RecordOptions) (*RecordedCases, error) {
	b, err := bundle.Loader{Compiler: c}.Load(fsys, dir, nil)
	if err != nil {
		return nil, err
	}
	known, err := cases.InBundle(fsys, b)
	if err != nil {
		return nil, err
	}
	i := engine.NewInterpreter(engine.Options{Clock: cases.Clock()})
	if err := i.Set(engine.Embedded, b.Source); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = o.Object.GetName()
	}
	r := &caseRecorder{options: o, bundle: b, rules: i.Snapshot(), known: known}
	return r.record()
}

// caseRecorder writes the cases of one object.
type caseRecorder struct {
	options RecordOptions
	bundle  *bundle.Bundle
	rules   engine.Snapshot
	known   []*cases.Case
}

func (r *caseRecorder) record() (*RecordedCases, error) {
	base, err := yaml.Marshal(map[string]any{"base": r.options.Object.Object})
	if err != nil {
		return nil, err
	}
	made := &RecordedCases{Text: base}
	var errs []error
	wanted := slices.DeleteFunc(engine.Operations(), func(op engine.Operation) bool {
		return len(r.options.Operations) > 0 && !slices.Contains(r.options.Operations, op.Name)
	})
	questions, left := compare.Questions(r.options.Object, wanted, r.rules)
	made.Unasked = left
	for _, q := range questions {
		op := OperationOf(q.Operation)
		answer, err := r.rules.Evaluate(q)
		if errors.Is(err, engine.ErrNoRule) {
			continue
		}
		if err != nil && !r.options.Failing {
			errs = append(errs, err)
			continue
		}
		name := r.options.Name + ": " + op.File
		if err := r.isNew(op, name); err != nil {
			errs = append(errs, err)
			continue
		}
		text, err := r.document(op, name, q, answer, err)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		made.Text = append(made.Text, "---\n"+reviewMark+text...)
		made.Cases = append(made.Cases, name)
	}
	switch {
	case len(errs) > 0:
		return nil, errors.Join(errs...)
	case len(made.Cases) == 0:
		return nil, ErrNothingRecorded
	}
	return made, nil
}

// OperationOf returns what is known of an operation.
func OperationOf(name engine.Op) engine.Operation {
	all := engine.Operations()
	return all[slices.IndexFunc(all, func(op engine.Operation) bool { return op.Name == name })]
}

// isNew returns an error where the bundle has a case of a name.
func (r *caseRecorder) isNew(op engine.Operation, name string) error {
	for _, c := range r.known {
		if c.Name == name && c.Operation.Name == op.Name && c.Kind().Kind == r.options.Object.GetKind() {
			return fmt.Errorf("%s: there is a case %q already; choose another name for the new ones", c.Where(), name)
		}
	}
	return nil
}

// document returns a case that passes: with what changes where the answer is the object, if that can
// be said so, else with the whole answer.
func (r *caseRecorder) document(op engine.Operation, name string, q engine.Request, answer []any, failed error) (string, error) {
	if failed != nil {
		expected, err := r.expectedError(failed)
		if err != nil {
			return "", err
		}
		return r.passing(op, name, q, "expectError", expected)
	}
	if op.Patch {
		after, _ := answer[0].(map[string]any)
		if object, ok := answer[0].(*unstructured.Unstructured); ok {
			after = object.Object
		}
		patch := mergePatch(q.Object.Object, after)
		if text, err := r.passing(op, name, q, "changes", patch); after != nil && err == nil {
			return text, nil
		}
	}
	return r.passing(op, name, q, "output", op.Named(answer))
}

// expectedError returns what a case expects where the script fails.
func (r *caseRecorder) expectedError(failed error) (map[string]any, error) {
	var of *script.Error
	if !errors.As(failed, &of) {
		return nil, failed
	}
	at := strings.TrimPrefix(of.File, r.bundle.Dir+"/")
	if of.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, of.Line)
	}
	return map[string]any{"code": string(of.Code), "at": at}, nil
}

// passing returns the text of a case, and an error where it does not pass as it stands.
func (r *caseRecorder) passing(op engine.Operation, name string, q engine.Request, key string, expected any) (string, error) {
	var b strings.Builder
	add := func(key string, value any) error {
		text, err := yaml.Marshal(map[string]any{key: value})
		b.Write(text)
		return err
	}
	errs := []error{add("name", name)}
	for _, object := range ObjectKeys(op) {
		errs = append(errs, add(object, map[string]any{}))
	}
	if op.Takes(engine.ItemsParam) {
		errs = append(errs, add("statusItems", q.Items))
	}
	if op.Takes(engine.CountParam) {
		errs = append(errs, add("inputReplicas", q.Replicas))
	}
	if op.Takes(engine.StateParam) {
		errs = append(errs, add("state", q.State))
	}
	errs = append(errs, add("operation", string(op.Name)), add(key, expected))
	if err := errors.Join(errs...); err != nil {
		return "", fmt.Errorf("write case %q: %w", name, err)
	}
	base, err := yaml.Marshal(map[string]any{"base": r.options.Object.Object})
	if err != nil {
		return "", err
	}
	file := path.Join(r.bundle.Dir, q.Object.GetKind(), bundle.CasesDir, "recorded.yaml")
	read, err := cases.BundleReader(nil).Read(file, []byte(string(base)+"---\n"+b.String()))
	if err != nil {
		return "", fmt.Errorf("case %q cannot be read again: %w", name, err)
	}
	runner := &cases.Runner{Bundles: []*bundle.Bundle{r.bundle}}
	for _, c := range read {
		if result := runner.Run(c); !result.Passed() {
			return "", fmt.Errorf("case %q does not pass with its own answer: %s is not the same again", name, result.Failures[0].Path)
		}
	}
	return b.String(), nil
}

// ObjectKeys returns the keys that a case of an operation has its object under.
func ObjectKeys(op engine.Operation) []string {
	switch op.About {
	case engine.AboutBoth:
		return []string{"desiredObj", "observedObj"}
	case engine.AboutCopy:
		return []string{"observedObj"}
	}
	return []string{"desiredObj"}
}

// mergePatch returns the merge patch that makes one object another. Where the other one has null, there
// is none that does.
func mergePatch(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range before {
		if _, has := after[key]; !has {
			patch[key] = nil
		}
	}
	for key, value := range maps.All(after) {
		was, has := before[key]
		if has && reflect.DeepEqual(was, value) {
			continue
		}
		below, isMap := was.(map[string]any)
		now, areMaps := value.(map[string]any)
		if isMap && areMaps {
			value = mergePatch(below, now)
		}
		patch[key] = value
	}
	return patch
}
