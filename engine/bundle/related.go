// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// maxRelated is how many kinds of related objects an operation of a kind may see.
	maxRelated = 4
	// maxFields is how many fields of a related object are kept or looked at.
	maxFields = 16
)

// RelatedObjects declares objects that an operation sees beside those of some kinds. In a
// manifest it is an item of spec.related:
//
//	related:
//	  - kinds: [FlinkDeployment, FlinkSessionJob]
//	    operation: state
//	    apiVersion: flink.apache.org/v1beta1
//	    kind: FlinkStateSnapshot
//	    refersBy: {name: spec.jobReference.name, kind: spec.jobReference.kind}
//	    where:
//	      - {field: status.state, is: COMPLETED}
//	    time: status.resultTimestamp
//	    fields: [status.path]
//
// refersBy has name and perhaps kind, paths of fields; or owner: true; or label, the key of a
// label.
type RelatedObjects struct {
	// Kinds are names of kinds of the manifest.
	Kinds     []string
	Operation engine.Operation
	engine.Related

	// kindsAt, operationAt and kindAt are where the manifest has these.
	kindsAt, operationAt, kindAt yamldoc.Node
}

// fieldPath is a dotted path of fields.
var fieldPath = regexp.MustCompile(`^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$`)

// identity are the fields of what scripts see of a related object that are always there.
var identity = []string{"apiVersion", "kind", "metadata", "time"}

func (m *Manifest) readRelated(n yamldoc.Node) error {
	r := RelatedObjects{kindsAt: n.Get("kinds"), operationAt: n.Get("operation"), kindAt: n.Get("kind")}
	r.Most = engine.DefaultRelated
	var operation, apiVersion, kind string
	err := n.Fields(yamldoc.Fields{
		"kinds":      yamldoc.Strings(&r.Kinds),
		"operation":  yamldoc.String(&operation),
		"apiVersion": yamldoc.String(&apiVersion),
		"kind":       yamldoc.String(&kind),
		"refersBy":   r.readReference,
		"where":      r.readConditions,
		"time":       fieldOf(&r.Time),
		"fields":     r.readFields,
		"most":       r.readMost,
	}, "kinds", "operation", "apiVersion", "kind", "refersBy", "fields")
	if err != nil {
		return err
	}
	if len(r.Kinds) == 0 {
		return r.kindsAt.Errorf("want at least one kind of the bundle")
	}
	if r.Operation, err = operationOf(operation); err != nil {
		return r.operationAt.Errorf("%v", err)
	}
	if !r.Operation.Takes(engine.RelatedParam) {
		return r.operationAt.Errorf("%s sees no related objects; want %s", operation, strings.Join(seers(), " or "))
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || version.Version == "" {
		return n.Get("apiVersion").Errorf("%q is no version of an API; want group/version, or version for the core group", apiVersion)
	}
	if r.Kind = version.WithKind(kind); kind == "" {
		return r.kindAt.Errorf("want the kind of the related objects")
	}
	if r.Kind.GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
		return r.kindAt.Errorf("Secrets cannot be related objects: what scripts return is stored and reported in plain text")
	}
	m.Related = append(m.Related, r)
	return nil
}

// seers lists the files of the operations that see related objects.
func seers() []string {
	var files []string
	for _, op := range engine.Operations() {
		if op.Takes(engine.RelatedParam) {
			files = append(files, op.File)
		}
	}
	return files
}

// readReference reads how an object refers to its workload.
func (r *RelatedObjects) readReference(n yamldoc.Node) error {
	f := &r.Refers
	err := n.Fields(yamldoc.Fields{
		"name":  fieldOf(&f.Name),
		"kind":  fieldOf(&f.Kind),
		"owner": yamldoc.Bool(&f.Owner),
		"label": yamldoc.String(&f.Label),
	})
	if err != nil {
		return err
	}
	ways := 0
	for _, set := range []bool{f.Name != "", f.Owner, f.Label != ""} {
		if set {
			ways++
		}
	}
	switch {
	case ways != 1:
		return n.Errorf("want exactly one of name (the path of the field with the name of the workload), owner: true, and label (its key)")
	case f.Kind != "" && f.Name == "":
		return n.Get("kind").Errorf("kind goes with name; an owner reference has the kind, a label has none")
	}
	if problems := validation.IsQualifiedName(f.Label); f.Label != "" && len(problems) > 0 {
		return n.Get("label").Errorf("%q is no key of a label: %s", f.Label, strings.Join(problems, "; "))
	}
	return nil
}

func (r *RelatedObjects) readConditions(n yamldoc.Node) error {
	err := n.Items(func(n yamldoc.Node) error {
		var c engine.FieldCondition
		err := n.Fields(yamldoc.Fields{"field": fieldOf(&c.Field), "is": yamldoc.String(&c.Is)}, "field")
		r.Where = append(r.Where, c)
		return err
	})
	if err == nil && len(r.Where) > maxFields {
		return n.Errorf("%d conditions; want at most %d", len(r.Where), maxFields)
	}
	return err
}

// readFields reads the fields to keep, none of which may lead into another.
func (r *RelatedObjects) readFields(n yamldoc.Node) error {
	err := n.Items(func(n yamldoc.Node) error {
		var field string
		if err := fieldOf(&field)(n); err != nil {
			return err
		}
		if slices.Contains(identity, field) || strings.HasPrefix(field, "time.") {
			return n.Errorf("%s is always there, as far as scripts may see it; remove it", field)
		}
		for _, other := range r.Fields {
			if field == other || strings.HasPrefix(field, other+".") || strings.HasPrefix(other, field+".") {
				return n.Errorf("%s and %s are one in the other; keep one", other, field)
			}
		}
		r.Fields = append(r.Fields, field)
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(r.Fields) == 0 || len(r.Fields) > maxFields:
		return n.Errorf("%d fields; want 1 to %d", len(r.Fields), maxFields)
	}
	return nil
}

func (r *RelatedObjects) readMost(n yamldoc.Node) error {
	if err := yamldoc.Int(&r.Most)(n); err != nil {
		return err
	}
	if r.Most < 1 || r.Most > engine.MaxRelated {
		return n.Errorf("want 1 to %d objects", engine.MaxRelated)
	}
	return nil
}

// fieldOf reads the dotted path of a field.
func fieldOf(into *string) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		if err := yamldoc.String(into)(n); err != nil {
			return err
		}
		if !fieldPath.MatchString(*into) {
			return n.Errorf("%q is no path of a field; want names with dots between them, such as spec.jobReference.name", *into)
		}
		return nil
	}
}

// checkRelated checks the related objects against the scripts of the bundle: the kinds are
// there, and have a script for the operation that sees them.
func (d *parsedBundle) checkRelated() error {
	var problems yamldoc.Problems
	kinds := d.bundle.kindNames()
	seen := map[string][]schema.GroupVersionKind{}
	for i := range d.bundle.Related {
		r := &d.bundle.Related[i]
		for _, kind := range r.Kinds {
			key := answer(kind, r.Operation.File)
			switch {
			case !slices.Contains(kinds, kind):
				problems.AddFrom(func() error { return r.kindsAt.Errorf("%s", yamldoc.Unknown("kind", kind, kinds)) })
			case !d.answers(kind, r.Operation.Name):
				problems.AddFrom(func() error {
					return r.operationAt.Errorf("%s has no script for %s, which would see them; write %s/%s.lua or remove the kind here",
						kind, r.Operation.Name, kind, r.Operation.File)
				})
			case slices.Contains(seen[key], r.Kind):
				problems.AddFrom(func() error {
					return r.kindAt.Errorf("%s is declared twice for %s of %s; keep one", r.Kind.Kind, r.Operation.Name, kind)
				})
			case len(seen[key]) == maxRelated:
				problems.AddFrom(func() error {
					return r.kindAt.Errorf("%s of %s may see at most %d kinds of related objects", r.Operation.Name, kind, maxRelated)
				})
			}
			seen[key] = append(seen[key], r.Kind)
		}
	}
	return problems.Err()
}

// answers reports whether a script of the bundle answers an operation of a kind.
func (d *parsedBundle) answers(kind string, op engine.Op) bool {
	return slices.ContainsFunc(d.scripts, func(s scriptFile) bool {
		return s.operation.Name == op && slices.Contains(s.kinds, kind)
	})
}

// related returns the objects that an operation of a kind sees.
func (m *Manifest) related(kind string, op engine.Op) []engine.Related {
	var all []engine.Related
	for i := range m.Related {
		if m.Related[i].Operation.Name == op && slices.Contains(m.Related[i].Kinds, kind) {
			all = append(all, m.Related[i].Related)
		}
	}
	return all
}
