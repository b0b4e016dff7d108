// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// GadgetKind and WideGadgetKind are kinds that only tests know: the one with a
// namespace, the other without. Both answer the same.
var (
	GadgetKind     = schema.GroupVersionKind{Group: "spec.dragoman.io", Version: "v1", Kind: "Gadget"}
	WideGadgetKind = schema.GroupVersionKind{Group: "spec.dragoman.io", Version: "v1", Kind: "WideGadget"}
)

// StateKey is the name of the state of a gadget: its status.progress, which is
// restored as spec.resumeFrom.
const StateKey = "spec.dragoman.io/progress"

// gadgetRules are the rules of both kinds. A gadget with spec.broken has scripts that
// fail, and no gadget can have 13 replicas.
var gadgetRules = map[string]string{
	engine.InterpretReplica: `function GetReplicas(o)
		if o.spec.broken then error("the gadget is broken") end
		return o.spec.replicas or 0
	end`,
	engine.ReviseReplica: `function ReviseReplica(o, n)
		if n == 13 then error("13 is not a number of replicas") end
		o.spec.replicas = n
		return o
	end`,
	engine.InterpretHealth: `function InterpretHealth(o) return kube.get(o, "status.ok", false) end`,
	engine.InterpretState: `function GetState(o)
		if o.spec.broken then error("the gadget is broken") end
		return { ["` + StateKey + `"] = kube.get(o, "status.progress") }
	end`,
	engine.RestoreState: `function RestoreState(o, state)
		o.spec.resumeFrom = state["` + StateKey + `"]
		return o
	end`,
}

// Interpreter returns an engine with the bundles of this program and the rules of
// gadgets.
func Interpreter() (*engine.Interpreter, error) {
	compiler, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	i := engine.NewInterpreter(engine.Options{})
	bundles, err := bundle.Loader{Compiler: compiler}.LoadAll(scripts.FS)
	if err != nil {
		return nil, err
	}
	for _, b := range bundles {
		i.Set(engine.Embedded, b.Source)
	}
	rules := engine.Rules{}
	for name, text := range gadgetRules {
		operation, _ := engine.OperationNamed(name)
		program, err := compiler.Lua(engine.Unit{File: name + ".lua", Source: text, Operation: operation})
		if err != nil {
			return nil, fmt.Errorf("compile %s of gadgets: %w", name, err)
		}
		rules[name] = &engine.Rule{Program: program, Origin: "bundle gadgets"}
	}
	i.Set(engine.Embedded, engine.Source{Name: "gadgets", Kinds: map[schema.GroupVersionKind]engine.Rules{
		GadgetKind: rules, WideGadgetKind: rules,
	}})
	return i, nil
}

// Gadget returns a gadget, of the wide kind where the namespace is empty.
func Gadget(namespace, name string, spec map[string]any) *unstructured.Unstructured {
	kind := GadgetKind
	if namespace == "" {
		kind = WideGadgetKind
	}
	if spec == nil {
		spec = map[string]any{}
	}
	return Object(kind, namespace, name, map[string]any{"spec": spec})
}

// Object returns an object of any kind with some fields beside its identity.
func Object(kind schema.GroupVersionKind, namespace, name string, fields map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: fields}
	if fields == nil {
		o.Object = map[string]any{}
	}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// GadgetCRDs returns the definitions of both kinds of gadget.
func GadgetCRDs() []*apiextensionsv1.CustomResourceDefinition {
	return []*apiextensionsv1.CustomResourceDefinition{
		Definition(GadgetKind, apiextensionsv1.NamespaceScoped), Definition(WideGadgetKind, apiextensionsv1.ClusterScoped),
	}
}

// Definition returns the CRD of a kind whose objects may hold anything, with status as
// a subresource.
func Definition(kind schema.GroupVersionKind, scope apiextensionsv1.ResourceScope) *apiextensionsv1.CustomResourceDefinition {
	keep := true
	singular := strings.ToLower(kind.Kind)
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: singular + "s." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group, Scope: scope,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: singular + "s", Singular: singular,
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &keep,
				}},
			}},
		},
	}
}
