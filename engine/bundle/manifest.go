// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// ManifestFile is the name of a bundle's manifest.
const ManifestFile = "bundle.yaml"

const (
	// APIVersion is that of manifests.
	APIVersion   = "interpreter.dragoman.io/v1alpha1"
	manifestKind = "Bundle"
)

const (
	// maxKinds is how many kinds a bundle may have, each version counted.
	maxKinds = 200
	// maxParameters is how many parameters a bundle may have.
	maxParameters = 32
	// maxName is the maximum length of the name of a kind.
	maxName = 253
	// maxVersion is the maximum length of a version: that of a tag of a registry.
	maxVersion = 128
)

// Manifest is the content of a bundle.yaml.
type Manifest struct {
	// Name is unique among the bundles of an interpreter: small letters, digits and
	// hyphens.
	Name string
	// Version is that of semantic versioning, without build metadata; "" for none.
	Version string
	// Description is a line for people.
	Description string
	// Kinds are the kinds that the scripts are about, one item for each version.
	Kinds []schema.GroupVersionKind
	// NoWorkloads are those of Kinds whose objects run nothing.
	NoWorkloads map[schema.GroupVersionKind]bool
	// Mappings name functions of modules that answer operations, so that no file has to
	// forward to them.
	Mappings []Mapping
	// Related name the objects that operations see beside those of the kinds.
	Related []RelatedObjects
	// Parameters are what a user can choose, in the order of the manifest.
	Parameters []Parameter
	// Limits bound each run of a script. A zero field takes the limit of the interpreter;
	// any other is at most that of script.DefaultLimits.
	Limits script.Limits
}

// Mapping names the functions that answer operations of some kinds. In a manifest it is
// an item of spec.operations:
//
//	operations:
//	  - kinds: [Deployment, StatefulSet]
//	    functions:
//	      replicas: lib.pods.replicas
//	      status: lib.counts.reflect
//
// A function is called with the arguments of the operation, and its results are the
// answer, as those of the function in a file such as Deployment/replicas.lua. A kind
// may be in several mappings, also beside files of its own; it is an error when two
// of them, or one and a file, answer the same operation of a kind.
type Mapping struct {
	// Kinds are names of kinds of the manifest; one stands for the kind in each of its
	// groups and versions, as a folder does.
	Kinds []string
	// Functions are in the order of the manifest.
	Functions []Function

	// at is where the manifest names the kinds.
	at yamldoc.Node
}

// Function is a function of a module, and the operation that it answers.
type Function struct {
	Operation engine.Operation
	// Module is the name that scripts require the module by, such as lib.pods; Name is
	// the field of the table that the module returns.
	Module, Name string

	// at is where the manifest names the function.
	at yamldoc.Node
}

// Parameter is a choice that scripts see as params.<name>.
type Parameter struct {
	Name        string
	Default     string
	Description string
	// Values are the values that it may take; without any, all.
	Values []string
}

// allows reports whether the parameter may take value.
func (p Parameter) allows(value string) bool {
	return len(p.Values) == 0 || slices.Contains(p.Values, value)
}

var (
	bundleName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	// bundleVersion is that of semver.org without build metadata: what a tag of a registry can be.
	bundleVersion = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$`)
	parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	functionName  = regexp.MustCompile(`^(` + libDir + `\.[A-Za-z_][A-Za-z0-9_]*)\.([A-Za-z_][A-Za-z0-9_]*)$`)
)

// readManifest decodes a manifest. It returns all errors at once.
func readManifest(file string, data []byte) (Manifest, error) {
	var m Manifest
	var nodes []yamldoc.Node
	limits := yamldoc.Limits{Text: maxManifest, Documents: 10, Values: 10_000, Bytes: maxManifest, Depth: 20}
	err := yamldoc.NewBudget("file", limits, limits).Each(file, data, func(n yamldoc.Node) { nodes = append(nodes, n) })
	if err != nil {
		return m, err
	}
	if len(nodes) != 1 {
		return m, &yamldoc.Error{File: file, Message: "want one document, the manifest of the bundle"}
	}
	return m, nodes[0].Fields(yamldoc.Fields{
		"apiVersion": constant(APIVersion),
		"kind":       constant(manifestKind),
		"metadata": func(n yamldoc.Node) error {
			return n.Fields(yamldoc.Fields{"name": matching(&m.Name, bundleName), "version": m.readVersion}, "name")
		},
		"spec": m.readSpec,
	}, "apiVersion", "kind", "metadata", "spec")
}

// readVersion reads a version that can be a tag of a registry.
func (m *Manifest) readVersion(n yamldoc.Node) error {
	if err := yamldoc.String(&m.Version)(n); err != nil {
		return err
	}
	if len(m.Version) > maxVersion || !bundleVersion.MatchString(m.Version) {
		return n.Errorf("%q is no version; want one such as 1.4.0 or 2.0.0-rc.1, of at most %d characters", m.Version, maxVersion)
	}
	return nil
}

func (m *Manifest) readSpec(n yamldoc.Node) error {
	return n.Fields(yamldoc.Fields{
		"description": yamldoc.String(&m.Description),
		"kinds":       m.readKinds,
		"operations":  func(n yamldoc.Node) error { return n.Items(m.readMapping) },
		"related":     func(n yamldoc.Node) error { return n.Items(m.readRelated) },
		"parameters":  func(n yamldoc.Node) error { return n.Items(m.readParameter) },
		"limits":      m.readLimits,
	}, "kinds")
}

// readKinds reads the kinds, at least one.
func (m *Manifest) readKinds(n yamldoc.Node) error {
	if list, ok := n.Value.([]any); ok && len(list) == 0 {
		return n.Errorf("want at least one kind, with group, versions and kind")
	}
	return n.Items(m.readKind)
}

func (m *Manifest) readLimits(n yamldoc.Node) error {
	limits, most := &m.Limits, script.DefaultLimits()
	return n.Fields(yamldoc.Fields{
		"gas":     atMost(&limits.Gas, most.Gas),
		"memory":  atMost(&limits.Memory, most.Memory),
		"depth":   atMost(&limits.Depth, most.Depth),
		"string":  atMost(&limits.String, most.String),
		"nesting": atMost(&limits.Nesting, most.Nesting),
		"items":   atMost(&limits.Items, most.Items),
		"source":  atMost(&limits.Source, most.Source),
	})
}

// atMost reads a whole number that is not above most.
func atMost[T int | int64](into *T, most T) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		if err := yamldoc.Int(into)(n); err != nil {
			return err
		}
		if *into > most {
			return n.Errorf("%d is above what the engine allows, %d; a bundle can only lower a limit", *into, most)
		}
		return nil
	}
}

func (m *Manifest) readKind(n yamldoc.Node) error {
	var (
		kind     schema.GroupKind
		versions []string
		workload = true
	)
	err := n.Fields(yamldoc.Fields{
		"group":    yamldoc.String(&kind.Group),
		"versions": yamldoc.Strings(&versions),
		"kind":     yamldoc.String(&kind.Kind),
		"workload": yamldoc.Bool(&workload),
	}, "group", "versions", "kind")
	if err != nil {
		return err
	}
	if kind.Kind == "" || len(versions) == 0 {
		return n.Errorf("want a kind and at least one version")
	}
	if group, version, slash := strings.Cut(kind.Group, "/"); slash {
		return n.Get("group").Errorf("%q has a version; write group: %s and versions: [%s]", kind.Group, group, version)
	}
	if kind.Kind == libDir {
		return n.Errorf("the folder %s is for what the scripts share", libDir)
	}
	if isReference(kind.Kind) {
		return n.Errorf("the folders %s and %s are for objects that no script is asked about", CRDsDir, SamplesDir)
	}
	if len(m.Kinds)+len(versions) > maxKinds {
		return n.Errorf("too many kinds: a bundle may have at most %d, each version counted; split it", maxKinds)
	}
	if len(kind.Group)+len(kind.Kind) > maxName {
		return n.Errorf("a kind of %d bytes; want at most %d", len(kind.Group)+len(kind.Kind), maxName)
	}
	for _, version := range versions {
		gvk := kind.WithVersion(version)
		if slices.Contains(m.Kinds, gvk) {
			return n.Errorf("%s %s stands twice", gvk.GroupVersion(), gvk.Kind)
		}
		m.Kinds = append(m.Kinds, gvk)
		if !workload {
			if m.NoWorkloads == nil {
				m.NoWorkloads = map[schema.GroupVersionKind]bool{}
			}
			m.NoWorkloads[gvk] = true
		}
	}
	return nil
}

func (m *Manifest) readMapping(n yamldoc.Node) error {
	mapping := Mapping{at: n.Get("kinds")}
	err := n.Fields(yamldoc.Fields{
		"kinds":     yamldoc.Strings(&mapping.Kinds),
		"functions": func(n yamldoc.Node) error { return n.Each(mapping.readFunction) },
	}, "kinds", "functions")
	m.Mappings = append(m.Mappings, mapping)
	if len(mapping.Kinds) > maxKinds {
		return n.Errorf("too many kinds: a mapping may have at most %d", maxKinds)
	}
	if err == nil && (len(mapping.Kinds) == 0 || len(mapping.Functions) == 0) {
		return n.Errorf("want at least one kind and one function")
	}
	return err
}

func (m *Mapping) readFunction(operation string, n yamldoc.Node) error {
	op, err := operationOf(operation)
	if err != nil {
		return n.Errorf("%v", err)
	}
	var name string
	if err := yamldoc.String(&name)(n); err != nil {
		return err
	}
	parts := functionName.FindStringSubmatch(name)
	if parts == nil {
		return n.Errorf("%q is no function of a module; want %s.<module>.<function>", name, libDir)
	}
	m.Functions = append(m.Functions, Function{Operation: op, Module: parts[1], Name: parts[2], at: n})
	return nil
}

func (m *Manifest) readParameter(n yamldoc.Node) error {
	var p Parameter
	err := n.Fields(yamldoc.Fields{
		"name":        matching(&p.Name, parameterName),
		"default":     yamldoc.String(&p.Default),
		"values":      yamldoc.Strings(&p.Values),
		"description": yamldoc.String(&p.Description),
	}, "name", "default")
	if err != nil {
		return err
	}
	if len(m.Parameters) == maxParameters {
		return n.Errorf("too many parameters: a bundle may have at most %d", maxParameters)
	}
	if _, taken := m.parameter(p.Name); taken {
		err = n.Errorf("parameter %s stands twice", p.Name)
	}
	if !p.allows(p.Default) {
		err = errors.Join(err, n.Get("default").Errorf("%q is none of the values %s", p.Default, strings.Join(p.Values, ", ")))
	}
	m.Parameters = append(m.Parameters, p)
	return err
}

func (m *Manifest) parameter(name string) (Parameter, bool) {
	i := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return Parameter{}, false
	}
	return m.Parameters[i], true
}

// constant returns a reader that accepts one value only.
func constant(want string) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		if n.Value != any(want) {
			return n.Errorf("want %s, got %v", want, n.Value)
		}
		return nil
	}
}

// matching reads a string that must match a pattern.
func matching(into *string, pattern *regexp.Regexp) func(yamldoc.Node) error {
	return func(n yamldoc.Node) error {
		if err := yamldoc.String(into)(n); err != nil {
			return err
		}
		if !pattern.MatchString(*into) {
			return n.Errorf("%q does not match %s", *into, pattern)
		}
		return nil
	}
}
