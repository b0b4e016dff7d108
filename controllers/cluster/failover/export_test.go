// SPDX-License-Identifier: Apache-2.0

package failover

import "k8s.io/apimachinery/pkg/types"

// Request is what specs call Reconcile with.
type Request = request

// Next, AboutCluster and AboutBinding are the requests.
func Next() Request { return request{} }

func AboutCluster(name string) Request {
	return request{subject: aboutCluster, NamespacedName: types.NamespacedName{Name: name}}
}

func AboutBinding(key types.NamespacedName) Request {
	return request{subject: aboutBinding, NamespacedName: key}
}
