// SPDX-License-Identifier: Apache-2.0

package scheduling

import "sigs.k8s.io/controller-runtime/pkg/handler"

// OnCluster returns what a controller does about the events of clusters.
func (c *Controller[B]) OnCluster() handler.EventHandler { return c.onCluster() }
