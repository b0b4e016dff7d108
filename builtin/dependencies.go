// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"slices"
	"strings"
)

// getPodDependencies is kube.getPodDependencies. The template has a shape; nil takes any.
func getPodDependencies(shape func(any) error) Function {
	return checked(Function{
		Name:   "getPodDependencies",
		Params: []Param{{Name: "podTemplate", Type: "map", shape: shape}, {Name: "namespace", Type: "string", Optional: true}},
		Result: "list",
		Doc:    "Lists what pods of the template refer to: ConfigMaps, Secrets, PersistentVolumeClaims, ResourceClaims, ResourceClaimTemplates and the ServiceAccount, sorted by kind and name. The list is empty where there is nothing. The namespace is \"default\" where it is nil.",
	}, func(args []any, m Meter) (any, error) {
		template, _ := arg(args, 0).(map[string]any)
		namespace, _ := arg(args, 1).(string)
		if arg(args, 1) == nil {
			namespace = "default"
		}
		m.Charge(4)
		d := dependencies{meter: m}
		d.pod(mapAt(template, "spec"))
		return d.list(namespace), nil
	})
}

// references is kube.references.
func references() Function {
	return checked(Function{
		Name:     "references",
		Params:   []Param{{Name: "kind", Type: "string", constant: referredKind}, {Name: "namespace", Type: "string"}, {Name: "names", Type: "string", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Returns the references of GetDependencies to objects of a kind in v1, such as Secret or ConfigMap, by their names: references(\"Secret\", namespace, kube.get(spec, \"secretRef.name\")). A name that is nil or empty is skipped. concat joins several, and getPodDependencies returns more.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		kind, _ := arg(args, 0).(string)
		namespace, _ := arg(args, 1).(string)
		if err := referredKind(kind); err != nil {
			return nil, fmt.Errorf("kind %w", err)
		}
		m.Charge(int64(len(args)) * referenceGas(len(kind)+len(namespace)))
		list := []any{}
		for _, v := range args[2:] {
			if name, _ := v.(string); name != "" {
				list = append(list, reference{kind, name}.plain(namespace))
			}
		}
		return list, nil
	})
}

// referenceGas is the cost of a reference, including the n bytes of texts that it shares
// with others: encoding the list meets them each time.
func referenceGas(n int) int64 { return 8 + int64(n)/64 }

// reference is the kind and name of an object in a known namespace, of v1 unless the kind is
// one of resource.k8s.io.
type reference struct{ kind, name string }

// The kinds of resource.k8s.io/v1, served since Kubernetes 1.34.
const (
	resourceClaim         = "ResourceClaim"
	resourceClaimTemplate = "ResourceClaimTemplate"
)

// plain returns the reference as scripts return it.
func (r reference) plain(namespace string) any {
	apiVersion := "v1"
	if r.kind == resourceClaim || r.kind == resourceClaimTemplate {
		apiVersion = "resource.k8s.io/v1"
	}
	return map[string]any{"apiVersion": apiVersion, "kind": r.kind, "namespace": namespace, "name": r.name}
}

// dependencies collects what a pod refers to.
type dependencies struct {
	found map[reference]bool
	meter Meter
}

func (d *dependencies) add(kind, name string) {
	d.meter.Charge(1 + int64(len(name))/64)
	if name == "" {
		return
	}
	if d.found == nil {
		d.found = map[reference]bool{}
	}
	d.found[reference{kind, name}] = true
}

func (d *dependencies) pod(spec map[string]any) {
	for _, s := range listAt(spec, "imagePullSecrets") {
		d.add("Secret", stringAt(s, "name"))
	}
	for _, group := range [...]string{"initContainers", "containers", "ephemeralContainers"} {
		containers := listAt(spec, group)
		if len(containers) > freeContainers {
			d.meter.Charge(int64(len(containers)) / 2)
		}
		for _, c := range containers {
			d.container(c)
		}
	}
	for _, v := range listAt(spec, "volumes") {
		d.volume(v)
	}
	for _, c := range listAt(spec, "resourceClaims") {
		d.add(resourceClaim, stringAt(c, "resourceClaimName"))
		d.add(resourceClaimTemplate, stringAt(c, "resourceClaimTemplateName"))
	}
	if account := accountOf(spec); account != "default" {
		d.add("ServiceAccount", account)
	}
}

// accountOf returns the name of the service account, also from the field of that name that
// the API server takes where serviceAccountName is empty (Kubernetes 1.36, apis/core/v1,
// Convert_v1_PodSpec_To_core_PodSpec).
func accountOf(spec map[string]any) string {
	if name := stringAt(spec, "serviceAccountName"); name != "" {
		return name
	}
	return stringAt(spec, "serviceAccount")
}

// freeContainers is up to how many containers a pod has usually. They cost what they refer to.
const freeContainers = 8

func (d *dependencies) container(c any) {
	for _, e := range listAt(c, "envFrom") {
		d.add("ConfigMap", stringAt(mapAt(e, "configMapRef"), "name"))
		d.add("Secret", stringAt(mapAt(e, "secretRef"), "name"))
	}
	for _, e := range listAt(c, "env") {
		from := mapAt(e, "valueFrom")
		d.add("ConfigMap", stringAt(mapAt(from, "configMapKeyRef"), "name"))
		d.add("Secret", stringAt(mapAt(from, "secretKeyRef"), "name"))
	}
}

func (d *dependencies) volume(v any) {
	d.add("ConfigMap", stringAt(mapAt(v, "configMap"), "name"))
	d.add("Secret", stringAt(mapAt(v, "secret"), "secretName"))
	d.add("Secret", stringAt(mapAt(v, "azureFile"), "secretName"))
	for _, kind := range [...]string{"cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"} {
		d.add("Secret", stringAt(mapAt(mapAt(v, kind), "secretRef"), "name"))
	}
	d.add("Secret", stringAt(mapAt(mapAt(v, "csi"), "nodePublishSecretRef"), "name"))
	d.add("PersistentVolumeClaim", stringAt(mapAt(v, "persistentVolumeClaim"), "claimName"))
	for _, s := range listAt(mapAt(v, "projected"), "sources") {
		d.add("ConfigMap", stringAt(mapAt(s, "configMap"), "name"))
		d.add("Secret", stringAt(mapAt(s, "secret"), "name"))
	}
}

// list returns the references as objects, sorted by kind and name.
func (d *dependencies) list(namespace string) []any {
	d.meter.Charge(int64(len(d.found)) * referenceGas(len(namespace)))
	sorted := make([]reference, 0, len(d.found))
	for r := range d.found {
		sorted = append(sorted, r)
	}
	slices.SortFunc(sorted, func(a, b reference) int {
		if a.kind != b.kind {
			return strings.Compare(a.kind, b.kind)
		}
		return strings.Compare(a.name, b.name)
	})
	out := make([]any, 0, len(sorted))
	for _, r := range sorted {
		out = append(out, r.plain(namespace))
	}
	return out
}
