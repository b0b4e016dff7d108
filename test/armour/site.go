// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario"
)

var (
	crds           = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	clusters       = schema.GroupVersionResource{Group: "cluster.karmada.io", Version: "v1alpha1", Resource: "clusters"}
	policies       = schema.GroupVersionResource{Group: "policy.karmada.io", Version: "v1alpha1", Resource: "propagationpolicies"}
	customizations = schema.GroupVersionResource{Group: "config.karmada.io", Version: "v1alpha1", Resource: "resourceinterpretercustomizations"}
	configMaps     = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces     = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	victims        = schema.GroupVersionResource{Group: "attack.example", Version: "v1", Resource: "victims"}
	flinks         = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}
	gateways       = schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
	overrides      = schema.GroupVersionResource{Group: "policy.karmada.io", Version: "v1alpha1", Resource: "overridepolicies"}
	quotas         = schema.GroupVersionResource{Group: "policy.karmada.io", Version: "v1alpha1", Resource: "federatedresourcequotas"}
	bindings       = schema.GroupVersionResource{Group: "work.karmada.io", Version: "v1alpha2", Resource: "resourcebindings"}
	works          = schema.GroupVersionResource{Group: "work.karmada.io", Version: "v1alpha1", Resource: "works"}
	scriptBundles  = schema.GroupVersionResource{Group: "interpreter.dragoman.io", Version: "v1alpha1", Resource: "scriptbundles"}
	secrets        = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	roles          = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	webhooks       = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
)

const (
	innocent = "innocent"
	hostile  = "hostile"
)

// site is the fleet with all that both parties need.
type site struct {
	hub, member dynamic.Interface
	// name is that of the member.
	name  string
	round int

	mu sync.Mutex
	// undoes are what the end of the phase calls.
	undoes []func(ctx context.Context) error
}

// prepare makes namespaces and kinds, joins the member, and makes the policies.
func prepare(ctx context.Context, f *fleet.Fleet) (*site, error) {
	s := &site{name: f.Members[0].Name}
	var err error
	if s.hub, err = dynamic.NewForConfig(f.ControlPlane.RESTConfig()); err != nil {
		return nil, err
	}
	if s.member, err = dynamic.NewForConfig(f.Members[0].RESTConfig()); err != nil {
		return nil, err
	}
	for _, c := range []dynamic.Interface{s.hub, s.member} {
		for _, name := range []string{innocent, hostile} {
			if err := create(ctx, c, namespaces, named("v1", "Namespace", "", name, nil)); err != nil {
				return nil, err
			}
		}
		for _, crd := range []map[string]any{looseKind(victims, "Victim"), looseKind(flinks, "FlinkDeployment"), looseKind(gateways, "Gateway")} {
			if err := create(ctx, c, crds, crd); err != nil {
				return nil, err
			}
		}
	}
	if err := scenario.Join(ctx, f); err != nil {
		return nil, err
	}
	if err := s.await(ctx, "the member to be ready", func(ctx context.Context) (bool, error) { return s.ready(ctx, f.Members[0].Name) }); err != nil {
		return nil, err
	}
	for _, o := range []struct {
		in     schema.GroupVersionResource
		object map[string]any
	}{
		{policies, policy(innocent, "v1", "ConfigMap")},
		{policies, policy(hostile, "attack.example/v1", "Victim")},
		{policies, policy(hostile, "flink.apache.org/v1beta1", "FlinkDeployment")},
	} {
		if err := create(ctx, s.hub, o.in, o.object); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ready reports whether a member is ready.
func (s *site) ready(ctx context.Context, name string) (bool, error) {
	o, err := s.hub.Resource(clusters).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, client404(err)
	}
	return condition(o, "Ready") == "True", nil
}

// client404 hides that an object is not there yet.
func client404(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// condition returns the status of a condition of an object.
func condition(o *unstructured.Unstructured, kind string) string {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			return fmt.Sprint(m["status"])
		}
	}
	return ""
}

// await waits for a condition for a minute.
func (s *site) await(ctx context.Context, what string, is wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, is); err != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return nil
}

// looseKind returns a CRD whose objects may have any fields.
func looseKind(r schema.GroupVersionResource, kind string) map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{
			"name": r.Resource + "." + r.Group, "annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, as in a test"}, // some groups are protected
		},
		"spec": map[string]any{
			"group": r.Group, "scope": "Namespaced", "names": map[string]any{"plural": r.Resource, "kind": kind},
			"versions": []any{map[string]any{
				"name": r.Version, "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}
}

// policy returns one that brings all objects of a kind in a namespace to the members.
func policy(namespace, apiVersion, kind string) map[string]any {
	o := named("policy.karmada.io/v1alpha1", "PropagationPolicy", namespace, "all-"+lower(kind), nil)
	o["spec"] = map[string]any{
		"resourceSelectors": []any{map[string]any{"apiVersion": apiVersion, "kind": kind}},
		"placement":         map[string]any{"replicaScheduling": map[string]any{"replicaSchedulingType": "Duplicated"}},
	}
	return o
}

// named returns an object with fields beside its name.
func named(apiVersion, kind, namespace, name string, fields map[string]any) map[string]any {
	o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}
	if namespace != "" {
		o["metadata"].(map[string]any)["namespace"] = namespace
	}
	for k, v := range fields {
		o[k] = v
	}
	return o
}

// create creates an object, again for a while where the server does not know its kind
// yet.
func create(ctx context.Context, c dynamic.Interface, in schema.GroupVersionResource, object map[string]any) error {
	o := &unstructured.Unstructured{Object: object}
	var last error
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, last = c.Resource(in).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{})
		if apierrors.IsInvalid(last) {
			return false, last
		}
		return last == nil || apierrors.IsAlreadyExists(last), nil
	})
	if err != nil {
		return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), last)
	}
	return nil
}
