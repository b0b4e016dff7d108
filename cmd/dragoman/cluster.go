// SPDX-License-Identifier: Apache-2.0

package main

// The verbs that need a control plane link the clients of Kubernetes, which are half of the program
// and take a third of the time that it needs to start. So it is built twice: with the tag nocluster as
// dragoman, for authors of scripts, and whole as dragoman-cluster, which the former runs for these
// verbs. A program that is built without the tag has all verbs by itself.

// clusterVerb is a verb that needs a control plane.
type clusterVerb struct{ use, short string }

// clusterVerbs are all of them, sorted.
var clusterVerbs = []clusterVerb{
	{"activate NAME REFERENCE", "Have a control plane fetch a bundle from a registry, and its scripts answer"},
	{"clusters", "Show what an earlier membership left in a cluster, and delete it"},
	{"failover", "Show what failovers did, and what the loss of a cluster would do"},
	{"fence CLUSTER", "Confirm that nothing runs in a cluster any more"},
	{"promote NAME", "Have the scripts of a ScriptBundle answer that were only evaluated, or kept back"},
	{"rollback NAME", "Have an earlier revision of a ScriptBundle answer, and keep it"},
	{"shadow BUNDLE", "Show what a bundle would change on a control plane, without activating it"},
	{"status [NAME]", "Show the ScriptBundles of a control plane: what is active, what was refused and why"},
	{"unfence CLUSTER", "Take back that nothing runs in a cluster"},
}
