// SPDX-License-Identifier: Apache-2.0

// Package watch finds bundles in a folder of the file system, and what changes there. In
// goes a folder with a folder for each bundle; out come consistent copies of bundles, for
// bundle.Store. The package does not know what happens to them.
//
// The operating system reports changes; several in a short time count as one. Where it
// cannot report them, and in any case every ten seconds, the folder is compared with the
// scan before, by names, sizes and times. Only what differs is read.
//
// # ConfigMaps
//
// A ConfigMap that is mounted at <folder>/flink is a bundle. Its keys cannot hold a
// slash, so a file that lies directly in a bundle's folder may have the name of its
// folder before its own, with a dot:
//
//	bundle.yaml                           bundle.yaml
//	FlinkDeployment.health.lua            FlinkDeployment/health.lua
//	FlinkDeployment.testdata.health.yaml  FlinkDeployment/testdata/health.yaml
//	lib.memory.lua                        lib/memory.lua, which is required as lib.memory
//
// Paths in the items of the volume work as well. A new version of a ConfigMap is seen as
// a whole, never half of it. (A ConfigMap mounted with subPath never changes; that is a
// limit of Kubernetes.)
package watch
