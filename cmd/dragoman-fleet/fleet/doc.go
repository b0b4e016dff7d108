// SPDX-License-Identifier: Apache-2.0

// Package fleet runs a control plane and member clusters on this machine, from
// real Kubernetes binaries, for tests, demos and benchmarks.
//
// In goes a folder of binaries (made by [Build]) and the names of the members;
// out come [Cluster] values with a URL, a bearer token, a CA bundle and a
// kubeconfig file each. [Start] starts whole clusters: the members run
// Deployments on fake nodes. [StartAPIServers] starts API servers without any
// controllers, which is enough for most suites and takes a few seconds.
//
// Everything listens on 127.0.0.1 with TLS. One etcd serves all API servers,
// under a key prefix each; every cluster has its own CA, token and
// service-account key, so that a credential of one opens no other. Two parts
// are stand-ins, and are called so: kwok plays kubelets and containers (nodes
// and pods have no processes), and stages given to kwok play operators of
// custom resources ([StandIn]).
//
// Processes die with the process that called Start, even when that one is
// killed. The package knows nothing of Dragoman: no kinds, no controllers.
package fleet
