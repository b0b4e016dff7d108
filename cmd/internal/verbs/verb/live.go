// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// LiveObject names an object of a cluster, as kubectl does.
type LiveObject struct {
	// Kubeconfig is the file that says how the cluster is reached; empty means $KUBECONFIG or ~/.kube/config.
	Kubeconfig string
	// Namespace may be empty: that of the context of the kubeconfig.
	Namespace string
	// Kind is what kubectl accepts, such as deploy or deployments.v1.apps.
	Kind, Name string
}

// ReadLive reads an object of a cluster, and writes nothing. The verbs of authors get it as an argument,
// so that they link no client of Kubernetes.
type ReadLive func(ctx context.Context, object LiveObject) (*unstructured.Unstructured, error)
