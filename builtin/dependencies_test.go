// SPDX-License-Identifier: Apache-2.0

package builtin

import "testing"

func TestGetPodDependencies(t *testing.T) {
	named := func(kind, namespace, name string) any {
		return map[string]any{"apiVersion": "v1", "kind": kind, "namespace": namespace, "name": name}
	}
	ref := func(name string) any { return map[string]any{"name": name} }
	secretVolume := func(kind, name string) any {
		return map[string]any{kind: map[string]any{"secretRef": ref(name)}}
	}
	examples(t, "getPodDependencies", map[string]example{
		"none":            {args: []any{map[string]any{}, "ns"}, want: []any{}},
		"none, no spec":   {args: []any{map[string]any{"spec": nil}}, want: []any{}},
		"nil namespace":   {args: append(template(map[string]any{"serviceAccountName": "a"}), nil), want: []any{named("ServiceAccount", "default", "a")}},
		"default account": {args: append(template(map[string]any{"serviceAccountName": "default"}), "ns"), want: []any{}},
		"old account":     {args: append(template(map[string]any{"serviceAccount": "old"}), "ns"), want: []any{named("ServiceAccount", "ns", "old")}},
		"both accounts":   {args: append(template(map[string]any{"serviceAccount": "old", "serviceAccountName": "new"}), "ns"), want: []any{named("ServiceAccount", "ns", "new")}},
		"claims of devices": {
			args: append(template(map[string]any{"resourceClaims": []any{
				map[string]any{"name": "gpu", "resourceClaimTemplateName": "gpus"}, map[string]any{"name": "nic", "resourceClaimName": "nic"},
			}}), "ns"),
			want: []any{
				map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "namespace": "ns", "name": "nic"},
				map[string]any{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "namespace": "ns", "name": "gpus"},
			},
		},
		"number namespace": {args: append(template(nil), int64(5)), err: "namespace must be a string, not a number"},
		"no template":      {args: []any{"x", "ns"}, err: "podTemplate must be a map, not a string"},
		"containers": {
			args: append(template(map[string]any{
				"imagePullSecrets": []any{ref("pull")},
				"containers": []any{map[string]any{
					"envFrom": []any{map[string]any{"configMapRef": ref("c-from")}, map[string]any{"secretRef": ref("s-from")}},
					"env": []any{
						map[string]any{"name": "A", "value": "plain"},
						map[string]any{"name": "B", "valueFrom": map[string]any{"configMapKeyRef": map[string]any{"name": "c-key", "key": "k"}}},
						map[string]any{"name": "C", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "s-key", "key": "k"}}},
						map[string]any{"name": "D", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "s-key", "key": "other"}}},
					},
				}},
				"initContainers":      []any{map[string]any{"envFrom": []any{map[string]any{"secretRef": ref("s-init")}}}},
				"ephemeralContainers": []any{map[string]any{"envFrom": []any{map[string]any{"configMapRef": ref("c-debug")}}}},
				"serviceAccountName":  "account",
			}), "ns"),
			want: []any{
				named("ConfigMap", "ns", "c-debug"), named("ConfigMap", "ns", "c-from"), named("ConfigMap", "ns", "c-key"),
				named("Secret", "ns", "pull"), named("Secret", "ns", "s-from"), named("Secret", "ns", "s-init"), named("Secret", "ns", "s-key"),
				named("ServiceAccount", "ns", "account"),
			},
		},
		"volumes": {
			args: append(template(map[string]any{"volumes": []any{
				map[string]any{"configMap": ref("cm")},
				map[string]any{"secret": map[string]any{"secretName": "a-secret"}},
				map[string]any{"azureFile": map[string]any{"secretName": "b-azure"}},
				secretVolume("cephfs", "c-cephfs"), secretVolume("cinder", "d-cinder"), secretVolume("flexVolume", "e-flex"),
				secretVolume("iscsi", "f-iscsi"), secretVolume("rbd", "g-rbd"), secretVolume("scaleIO", "h-scale"), secretVolume("storageos", "i-storage"),
				map[string]any{"csi": map[string]any{"nodePublishSecretRef": ref("j-csi")}},
				map[string]any{"projected": map[string]any{"sources": []any{
					map[string]any{"secret": ref("k-projected")}, map[string]any{"configMap": ref("projected")}, map[string]any{"serviceAccountToken": map[string]any{}},
				}}},
				map[string]any{"persistentVolumeClaim": map[string]any{"claimName": "claim"}},
				map[string]any{"emptyDir": map[string]any{}},
				map[string]any{"secret": map[string]any{"secretName": ""}},
			}}), "ns"),
			want: []any{
				named("ConfigMap", "ns", "cm"), named("ConfigMap", "ns", "projected"), named("PersistentVolumeClaim", "ns", "claim"),
				named("Secret", "ns", "a-secret"), named("Secret", "ns", "b-azure"), named("Secret", "ns", "c-cephfs"), named("Secret", "ns", "d-cinder"),
				named("Secret", "ns", "e-flex"), named("Secret", "ns", "f-iscsi"), named("Secret", "ns", "g-rbd"), named("Secret", "ns", "h-scale"),
				named("Secret", "ns", "i-storage"), named("Secret", "ns", "j-csi"), named("Secret", "ns", "k-projected"),
			},
		},
	})
}
