// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	flinkKind   = schema.GroupVersionKind{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment"}
	volcanoKind = schema.GroupVersionKind{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job"}
)

// pods returns the template of pods of a workload.
func pods(labels map[string]string, restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{Name: "nginx", Image: "nginx"}}},
	}
}

// deployment returns a Deployment of the spec.
func deployment(replicas int32) *appsv1.Deployment {
	labels := map[string]string{"app": "nginx"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "nginx"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: pods(labels, corev1.RestartPolicyAlways)},
	}
}

// scale has a user scale a Deployment.
func scale(to int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Replicas = &to }
}

// job returns a Job of the spec that works on a queue, with so many pods at once.
func job(parallelism int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "pi"},
		Spec:       batchv1.JobSpec{Parallelism: &parallelism, Template: pods(nil, corev1.RestartPolicyNever)},
	}
}

// clusterRole returns a ClusterRole of the spec.
func clusterRole() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: space},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}},
	}
}

// definition returns a CRD of the spec.
func definition() *apiextensionsv1.CustomResourceDefinition {
	return fixture.Definition(schema.GroupVersionKind{Group: space + ".example.com", Version: "v1", Kind: "Thing"}, apiextensionsv1.NamespaceScoped)
}
