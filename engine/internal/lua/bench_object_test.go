// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
)

// managedFields are as an API server keeps them: large, and read by no script.
func managedFields() []any {
	fields := map[string]any{}
	for i := range 30 {
		fields[fmt.Sprintf("f:field%d", i)] = map[string]any{"f:value": map[string]any{}}
	}
	one := map[string]any{"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsV1": fields}
	return []any{one, one, one}
}

func realMetadata(obj map[string]any) map[string]any {
	metadata := obj["metadata"].(map[string]any)
	for key, v := range map[string]any{
		"uid": "0b8f2c4e-6f0d-4bb4-9f3c-3d6d2d7c0d11", "resourceVersion": "12345", "generation": int64(4),
		"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": managedFields(),
		"annotations": map[string]any{"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat("x", 2000)},
	} {
		metadata[key] = v
	}
	return obj
}

func flinkStatus(state string) map[string]any {
	return map[string]any{
		"clusterInfo": map[string]any{"flink-revision": "a1b2c3", "flink-version": "1.20.0", "total-cpu": "3.0", "total-memory": "6442450944"},
		"jobStatus": map[string]any{
			"jobId": "44cc5573945d1d4925732d915c70b9ac", "jobName": "State machine", "startTime": "1717599166365", "state": state, "updateTime": "1717599182544",
			"savepointInfo":  map[string]any{"lastPeriodicSavepointTimestamp": int64(0), "savepointHistory": []any{}},
			"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": int64(0)},
		},
		"jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE", "observedGeneration": int64(2),
		"reconciliationStatus": map[string]any{"lastReconciledSpec": strings.Repeat("x", 1500), "lastStableSpec": strings.Repeat("y", 1500), "reconciliationTimestamp": int64(1717599148930), "state": "DEPLOYED"},
		"taskManager":          map[string]any{"labelSelector": "component=taskmanager,app=basic", "replicas": int64(1)},
	}
}

func realFlink() map[string]any {
	obj := realMetadata(flinkObject())
	obj["status"] = flinkStatus("RUNNING")
	return obj
}

func statusItems(status func(i int) map[string]any) []any {
	var items []any
	for i := range 3 {
		items = append(items, map[string]any{"clusterName": fmt.Sprintf("member%d", i+1), "health": "Healthy", "status": status(i)})
	}
	return items
}

func flinkItems() []any {
	return statusItems(func(i int) map[string]any { return flinkStatus([]string{"CREATED", "RECONCILING", "RUNNING"}[i]) })
}

func deploymentStatus(replicas int64) map[string]any {
	return map[string]any{
		"observedGeneration": int64(4), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{
			map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "lastTransitionTime": "2026-01-01T00:00:00Z"},
			map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "lastTransitionTime": "2026-01-01T00:00:00Z"},
		},
	}
}

func deploymentItems() []any {
	return statusItems(func(int) map[string]any {
		status := deploymentStatus(2)
		status["generation"], status["resourceTemplateGeneration"] = int64(4), int64(4)
		return status
	})
}

// aggregated returns the object with the status that its three clusters sum up to.
func aggregated(deployment map[string]any) map[string]any {
	out := deepCopy(deployment).(map[string]any)
	out["status"] = deploymentStatus(6)
	return out
}

func realDeployment() map[string]any {
	resources := map[string]any{
		"requests": map[string]any{"cpu": "250m", "memory": "512Mi"},
		"limits":   map[string]any{"cpu": "1", "memory": "1Gi"},
	}
	container := func(name string) map[string]any {
		return map[string]any{
			"name": name, "image": "registry.example.com/shop/" + name + ":1.27.1", "imagePullPolicy": "IfNotPresent", "resources": resources,
			"ports":        []any{map[string]any{"containerPort": int64(8080), "protocol": "TCP", "name": "http"}},
			"env":          []any{map[string]any{"name": "MODE", "value": "production"}},
			"volumeMounts": []any{map[string]any{"name": "config", "mountPath": "/etc/app"}},
		}
	}
	return realMetadata(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "shop", "namespace": "test", "labels": map[string]any{"app": "shop"}},
		"spec": map[string]any{
			"replicas": int64(3), "selector": map[string]any{"matchLabels": map[string]any{"app": "shop"}},
			"strategy": map[string]any{"type": "RollingUpdate"},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": "shop"}},
				"spec": map[string]any{
					"containers":   []any{container("web"), container("proxy")},
					"nodeSelector": map[string]any{"disktype": "ssd"},
					"tolerations":  []any{map[string]any{"key": "key1", "operator": "Exists", "effect": "NoSchedule"}},
					"volumes":      []any{map[string]any{"name": "config", "configMap": map[string]any{"name": "shop"}}},
				},
			},
		},
		"status": deploymentStatus(3),
	})
}
