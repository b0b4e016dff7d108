// SPDX-License-Identifier: Apache-2.0

// Package schedule decides where a binding goes, beside what was decided a moment ago. Package
// placement chooses clusters for one binding alone; here are the order of what is asked, and what
// is given away and does not show yet.
//
//	decide.go     a decision: strict first, then with the clusters that failed
//	assumed.go    what was placed and the summaries of clusters do not show
//	estimates.go  what estimators answered, beside that
//	peers.go      what was placed of groups
//	shortage.go   what a decision that found too little room was made by, for preemption
package schedule
