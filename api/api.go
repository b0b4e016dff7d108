// SPDX-License-Identifier: Apache-2.0

// Package api is the room of the kinds: what users and controllers write and
// read, in its wire form.
//
// Below it, a folder <group>/<version> holds the Go types of one API version
// with their defaults, their validation and their generated deep copies; names
// makes the names of the control plane's own objects; crds holds
// the generated CRDs.
//
// The room imports nothing else of Dragoman, no client and no controller. It
// refuses to know what happens to an object after it is written.
package api

import (
	"k8s.io/apimachinery/pkg/runtime"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// AddToScheme adds every kind of the room to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	all := runtime.NewSchemeBuilder(
		appsv1alpha1.AddToScheme,
		clusterv1alpha1.AddToScheme,
		configv1alpha1.AddToScheme,
		interpreterv1alpha1.AddToScheme,
		policyv1alpha1.AddToScheme,
		workv1alpha1.AddToScheme,
		workv1alpha2.AddToScheme,
	)
	return all.AddToScheme(scheme)
}
