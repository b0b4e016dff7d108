// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// newClusterCommands returns the verbs that need a control plane.
func newClusterCommands(streams Streams) []*cobra.Command {
	return []*cobra.Command{
		newActivateCommand(streams), newClustersCommand(streams), newFailoverCommand(streams), newFenceCommand(streams),
		newPromoteCommand(streams), newRollbackCommand(streams), newShadowCommand(streams), newStatusCommand(streams), newUnfenceCommand(streams),
	}
}

// readObject reads an object of a cluster. Nothing is written.
func readObject(ctx context.Context, kubeconfig, namespace, kind, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	p, err := openReadOnlyPlane(kubeconfig, namespace)
	if err != nil {
		return nil, err
	}
	return p.object(ctx, kind, name)
}

// runByCluster has another program run what needs a cluster; this one does so itself.
func runByCluster(Streams) (ran bool, err error) { return false, nil }
