// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// configOf returns the configuration of a kubeconfig, or that of the cluster that this process runs
// in.
func configOf(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		config, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, errors.New("name the kubeconfig of the control plane with --kubeconfig: this process runs in no cluster, whose own configuration it could take")
		}
		return config, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	return config, nil
}

// explained returns an error with what to do about it, where that is known.
func explained(err error) error {
	var none *meta.NoKindMatchError
	if !errors.As(err, &none) {
		return err
	}
	return fmt.Errorf("the control plane does not serve %s: apply the CRDs of Dragoman, as with kubectl apply --server-side -f api/crds, and start again (%w)", none.GroupKind, err)
}
