// SPDX-License-Identifier: Apache-2.0

// Package inventory keeps what the nodes of one cluster have free and answers how much of
// a workload still fits there.
//
// Nodes, pods and quotas go in, one change at a time; the answers to questions come out.
// Nodes that a question cannot tell apart, those with the same free amounts, the same
// taints and the same values of the labels that questions name, are one group, so that a
// thousand equal nodes cost as much as one. The package knows no API server, no wire form
// and no clock.
//
// An answer counts what the filters of kube-scheduler for resources, required node
// affinity, node selectors, taints and cordoned nodes allow. What a question does not
// hold, such as volumes, host ports, topology spread or affinity between pods, is not
// counted.
package inventory
