// SPDX-License-Identifier: Apache-2.0

// Package client asks the estimators of many member clusters: one request a cluster, all
// at once, each with a timeout of its own, so that a slow estimator costs only the answers
// of its own cluster. Where an estimator does not answer, the last answer to the same
// question is given with its age. The package does not know what the answers are for.
package client
