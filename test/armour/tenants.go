// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tenantPhases are what a tenant can write beside scripts: policies, overrides, statuses in
// members, references, quantities, and much of all.
func tenantPhases() []phase {
	return []phase{
		{name: "a status of 361 bytes, and paths that walk it", beside: reported("{..a..a..a..a..a}", nested(60))},
		{name: "a status of 700 KB, and a path that repeats it", beside: reported(strings.Repeat("{@}", 1_365), strings.Repeat("x", 700_000))},
		{name: "4,096 override items on objects of 20,000 keys", attack: overridden(8, map[string]any{"plaintext": plaintexts(512)}, wide(20_000))},
		{name: "64 operations on JSON documents of 800 KB", attack: overridden(1, map[string]any{"fieldOverrider": operations(64)}, numbers(800_000))},
		{name: "references to what another tenant has", attack: referred, check: unreached},
		{name: "300 forged bindings", attack: forged, check: unreached},
		{name: "an admission webhook of the member that hangs", attack: hanging},
		{name: "1,000 templates of one tenant", attack: func(ctx context.Context, s *site) error { return s.flood(ctx, 1_000) }},
	}
}

// reported has a policy keep the state that 64 rules of one path find in the status of an
// object, which changes each second.
func reported(path string, value any) func(context.Context, *site, *manager) error {
	return func(ctx context.Context, s *site, _ *manager) error {
		rules := make([]any, 64)
		for i := range rules {
			rules[i] = map[string]any{"aliasLabelName": fmt.Sprintf("state-%d", i), "jsonPath": path}
		}
		name := s.unique("path")
		p := policy(hostile, "attack.example/v1", "Victim")
		p["metadata"].(map[string]any)["name"] = name
		spec := p["spec"].(map[string]any)
		spec["resourceSelectors"] = []any{map[string]any{"apiVersion": "attack.example/v1", "kind": "Victim", "name": name}}
		spec["failover"] = map[string]any{"application": map[string]any{
			"decisionConditions": map[string]any{"tolerationSeconds": int64(300)}, "purgeMode": "Gracefully",
			"statePreservation": map[string]any{"rules": rules},
		}}
		if err := s.put(ctx, s.hub, policies, p); err != nil {
			return err
		}
		if err := create(ctx, s.hub, victims, named("attack.example/v1", "Victim", hostile, name, nil)); err != nil {
			return err
		}
		copies, times := s.member.Resource(victims).Namespace(hostile), int64(0)
		return every(ctx, time.Second, func(ctx context.Context) error {
			o, err := copies.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return client404(err)
			}
			times++
			o.Object["status"] = map[string]any{"a": value, "times": times}
			if _, err = copies.UpdateStatus(ctx, o, metav1.UpdateOptions{}); apierrors.IsConflict(err) {
				return nil
			}
			return err
		})
	}
}

// every calls f, and again after each period, until ctx is done or f fails.
func every(ctx context.Context, period time.Duration, f func(context.Context) error) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := f(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return nil
}

// nested returns maps of one field within each other.
func nested(levels int) any {
	value := any("x")
	for range levels {
		value = map[string]any{"a": value}
	}
	return value
}

func plaintexts(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = map[string]any{"path": fmt.Sprintf("/data/k%d", i), "operator": "replace", "value": "x"}
	}
	return all
}

func operations(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = map[string]any{"subPath": fmt.Sprintf("/n%d", i), "operator": "add", "value": int64(1)}
	}
	return []any{map[string]any{"fieldPath": "/data/document", "json": all}}
}

// wide returns data of many keys.
func wide(keys int) map[string]any {
	data := map[string]any{}
	for i := range keys {
		data[fmt.Sprintf("k%d", i)] = ""
	}
	return data
}

// numbers returns data with one document of that many bytes in JSON.
func numbers(size int) map[string]any {
	return map[string]any{"document": `{"port": 1, "list": [1` + strings.Repeat(",1", size/2) + `]}`}
}

// overridden has six ConfigMaps overridden by n policies each.
func overridden(n int, overriders, data map[string]any) func(context.Context, *site) error {
	return func(ctx context.Context, s *site) error {
		for i := range n {
			o := named("policy.karmada.io/v1alpha1", "OverridePolicy", hostile, s.unique(fmt.Sprint("override", i)), nil)
			o["spec"] = map[string]any{"overrideRules": []any{map[string]any{"overriders": overriders}}}
			if err := s.put(ctx, s.hub, overrides, o); err != nil {
				return err
			}
		}
		if err := s.put(ctx, s.hub, policies, policy(hostile, "v1", "ConfigMap")); err != nil {
			return err
		}
		for i := range 6 {
			if err := s.put(ctx, s.hub, configMaps, named("v1", "ConfigMap", hostile, s.unique(fmt.Sprint("overridden", i)), map[string]any{"data": data})); err != nil {
				return err
			}
		}
		return nil
	}
}

// The Secret and the ClusterRole that no hostile reference may bring to the member.
const (
	secret = "innocent-password"
	role   = "innocent-role"
)

// owned puts what is not the hostile tenant's into the control plane.
func (s *site) owned(ctx context.Context) error {
	o := named("v1", "Secret", innocent, secret, map[string]any{"data": map[string]any{"password": base64.StdEncoding.EncodeToString([]byte("gold"))}})
	if err := s.put(ctx, s.hub, secrets, o); err != nil {
		return err
	}
	return s.put(ctx, s.hub, roles, named("rbac.authorization.k8s.io/v1", "ClusterRole", "", role, map[string]any{"rules": []any{}}))
}

// referred has Gateways of the hostile tenant, and a customization, depend on what is not its.
// An object without a namespace may be depended on by all.
func referred(ctx context.Context, s *site) error {
	if err := s.owned(ctx); err != nil {
		return err
	}
	err := s.put(ctx, s.hub, customizations, customization(s.unique("depends"), "attack.example/v1", "Victim", map[string]any{
		"dependencyInterpretation": map[string]any{"luaScript": `function GetDependencies(o) return {
  {apiVersion = "v1", kind = "Secret", namespace = "` + innocent + `", name = "` + secret + `"}} end`},
	}))
	if err != nil {
		return err
	}
	for _, kind := range []struct{ apiVersion, kind string }{{"gateway.networking.k8s.io/v1", "Gateway"}, {"attack.example/v1", "Victim"}} {
		p := policy(hostile, kind.apiVersion, kind.kind)
		p["metadata"].(map[string]any)["name"] = s.unique("depends-" + lower(kind.kind))
		spec := p["spec"].(map[string]any)
		spec["propagateDeps"], spec["priority"] = true, int64(1)
		if err := s.put(ctx, s.hub, policies, p); err != nil {
			return err
		}
	}
	refs := []any{map[string]any{"namespace": innocent, "name": secret}}
	for i := range 20 {
		listeners := []any{map[string]any{"name": "tls", "port": int64(443), "protocol": "TLS", "tls": map[string]any{"certificateRefs": refs}}}
		g := named("gateway.networking.k8s.io/v1", "Gateway", hostile, s.unique(fmt.Sprint("gateway", i)), map[string]any{"spec": map[string]any{"gatewayClassName": "any", "listeners": listeners}})
		if err := create(ctx, s.hub, gateways, g); err != nil {
			return err
		}
		if err := create(ctx, s.hub, victims, named("attack.example/v1", "Victim", hostile, s.unique(fmt.Sprint("depends", i)), nil)); err != nil {
			return err
		}
	}
	return nil
}

// forged writes bindings of the hostile tenant's namespace that name what is not its. Those
// that the API server refuses are as good as refused by the controllers.
func forged(ctx context.Context, s *site) error {
	if err := s.owned(ctx); err != nil {
		return err
	}
	for i := range 300 {
		resource := map[string]any{"apiVersion": "v1", "kind": "Secret", "namespace": innocent, "name": secret}
		switch i % 3 {
		case 1:
			resource = map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": role}
		case 2:
			resource["namespace"] = hostile
		}
		b := named("work.karmada.io/v1alpha2", "ResourceBinding", hostile, s.unique(fmt.Sprint("forged", i)), nil)
		b["spec"] = map[string]any{"resource": resource, "clusters": []any{map[string]any{"name": s.name}}}
		_, err := s.hub.Resource(bindings).Namespace(hostile).Create(ctx, &unstructured.Unstructured{Object: b}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
			return err
		}
	}
	s.undo(func(ctx context.Context) error {
		return s.hub.Resource(bindings).Namespace(hostile).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	})
	return nil
}

// unreached returns an error if the member has what is not the hostile tenant's.
func unreached(ctx context.Context, s *site) error {
	for _, namespace := range []string{innocent, hostile} {
		if _, err := s.member.Resource(secrets).Namespace(namespace).Get(ctx, secret, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return errors.Join(fmt.Errorf("the member has the Secret %s/%s", namespace, secret), err)
		}
	}
	if _, err := s.member.Resource(roles).Get(ctx, role, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return errors.Join(fmt.Errorf("the member has the ClusterRole %s", role), err)
	}
	return nil
}

// hanging has all writes of Victims in the member wait for a webhook that never answers, and
// writes fifty.
func hanging(ctx context.Context, s *site) error {
	l, err := net.Listen("tcp", "127.0.0.1:0") // nobody accepts
	if err != nil {
		return err
	}
	s.undo(func(context.Context) error { return l.Close() })
	w := named("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", s.unique("hang"), nil)
	w["webhooks"] = []any{map[string]any{
		"name": "hang.attack.example", "clientConfig": map[string]any{"url": "https://" + l.Addr().String()}, "timeoutSeconds": int64(30),
		"failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
		"rules": []any{map[string]any{"apiGroups": []any{"attack.example"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*"}}},
	}}
	if err := s.put(ctx, s.member, webhooks, w); err != nil {
		return err
	}
	return s.flood(ctx, 50)
}

// flood creates Victims.
func (s *site) flood(ctx context.Context, n int) error {
	for i := range n {
		if err := create(ctx, s.hub, victims, named("attack.example/v1", "Victim", hostile, s.unique(fmt.Sprint("flood", i)), nil)); err != nil {
			return err
		}
	}
	return nil
}
