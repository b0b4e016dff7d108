// SPDX-License-Identifier: Apache-2.0

// Package server is the estimator beside a member cluster: it watches the nodes, pods and
// quotas of the cluster and answers over gRPC how much of a workload still fits, by the
// published service and by Dragoman's own for many questions at once. It decides nothing
// itself: package inventory has the answers, package wire the messages.
package server
