// Package bundle reads bundles: folders of scripts for some kinds, with a manifest.
// In goes a file system, out comes a source of rules for an interpreter, or every
// error of the folder with file and line.
//
//	flink/bundle.yaml                     what the bundle is, its kinds and parameters
//	flink/FlinkDeployment/health.lua      a script: <Kind>/<operation>.lua or .cel
//	flink/FlinkDeployment/testdata/*.yaml its cases, see package cases
//
// Nothing in a folder is ignored in silence: a file that is no script, a folder that
// is no kind, and a key that is not known are errors. Whether and when a bundle
// becomes active is not known here.
package bundle
