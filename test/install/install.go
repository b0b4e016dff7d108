// SPDX-License-Identifier: Apache-2.0

// Package install installs CRDs in API servers of tests.
package install

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/crds"
)

// Kinds installs the CRDs of Dragoman in the server of a configuration.
func Kinds(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	all, err := crds.All()
	if err != nil {
		return err
	}
	return CRDs(ctx, c, all...)
}

// CRDs creates definitions, all of them before it waits for the first, and returns when all
// are served. Those that are there already are left as they are.
func CRDs(ctx context.Context, c client.Client, definitions ...*apiextensionsv1.CustomResourceDefinition) error {
	for _, crd := range definitions {
		if err := c.Create(ctx, crd.DeepCopy()); client.IgnoreAlreadyExists(err) != nil {
			return fmt.Errorf("create CRD %s: %w", crd.Name, err)
		}
	}
	for _, crd := range definitions {
		if err := served(ctx, c, crd); err != nil {
			return fmt.Errorf("wait until %s is served: %w", crd.Name, err)
		}
	}
	return nil
}

// served waits until the server serves the kind of a CRD in all its versions, which is a
// little after it is established: by reading objects, since clients remember what was
// discovered of a kind that came a second time.
func served(ctx context.Context, c client.Client, crd *apiextensionsv1.CustomResourceDefinition) error {
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.ListKind})
		err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			err := c.List(ctx, list, client.Limit(1))
			if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
