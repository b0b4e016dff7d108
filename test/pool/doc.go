// SPDX-License-Identifier: Apache-2.0

// Package pool keeps API servers that the suites of one test run share, so that no suite
// starts servers of its own and waits for them.
//
// A [Pool] is one etcd and some API servers of two sorts: hubs, which serve the kinds of
// Dragoman, and bare ones, which serve what Kubernetes does and stand for members. Command
// run in the folder beside starts one around a command such as go test, and names its
// socket in the environment of the command. A suite asks there ([Take]) for the servers
// that it needs and has them to itself until its [Lease] is closed or its process ends.
//
// What a suite leaves behind is removed from the store before the next one gets the server:
// each key goes back to what it was after the start ([Baseline]). Whoever still writes to a
// server that it gave back, and whoever had a server when it ended, is named by
// [Pool.Problems].
package pool
