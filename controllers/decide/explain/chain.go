// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State is how a link or an item of it is.
type State string

const (
	// OK means that there is nothing to do.
	OK State = "ok"
	// Waiting means that the control plane or a user has to do something yet.
	Waiting State = "waiting"
	// Broken means that it does not work, and somebody has to act.
	Broken State = "broken"
	// Unreached means that an earlier link keeps this one from existing.
	Unreached State = "unreached"
	// Lost is a candidate, a policy or a cluster, that was not chosen.
	Lost State = "lost"
)

// Finding is what was found about one thing.
type Finding struct {
	State State `json:"state"`
	// Subject is kind and name, as in ResourceBinding shop/web-deployment, or the name of
	// a cluster.
	Subject string `json:"subject,omitempty"`
	// Reason is one word.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Advice is what to do.
	Advice string `json:"advice,omitempty"`
	// Since is when it became so; nil if that is not known.
	Since *metav1.Time `json:"since,omitempty"`
}

// Link is one link of the chain.
type Link struct {
	// Name is template, policy, scripts, binding, clusters, works, members or status.
	Name    string `json:"name"`
	Finding `json:",inline"`
	// Items are the candidates and clusters of the link, those chosen first.
	Items []Finding `json:"items,omitempty"`
}

// Chain is what became of a template.
type Chain struct {
	// Object is kind and name of the template.
	Object string `json:"object"`
	// Broken is the name of the first link that is broken or, if none is, that waits. It is
	// empty if all is well.
	Broken string `json:"broken,omitempty"`
	Links  []Link `json:"links"`
}

// First returns the link that Broken names, or nil.
func (c *Chain) First() *Link {
	for i := range c.Links {
		if c.Links[i].Name == c.Broken {
			return &c.Links[i]
		}
	}
	return nil
}

// find returns the name of the first link that is broken, or else waits.
func (c *Chain) find() string {
	for _, state := range []State{Broken, Waiting} {
		for i := range c.Links {
			if c.Links[i].State == state {
				return c.Links[i].Name
			}
		}
	}
	return ""
}

// count returns how many items are OK, as in 2 of 3.
func (l *Link) count() string {
	good := 0
	for i := range l.Items {
		if l.Items[i].State == OK {
			good++
		}
	}
	return fmt.Sprintf("%d of %d", good, len(l.Items))
}

// conclude sets a link to the state of its items, with the message of a format of how many
// of them are OK. Where none is broken or waits and none is OK, the link is not reached.
func (l *Link) conclude(format string) {
	l.summarize()
	if l.State != OK {
		return
	}
	l.Message = fmt.Sprintf(format, l.count())
	if !slices.ContainsFunc(l.Items, func(f Finding) bool { return f.State == OK }) {
		l.State = Unreached
	}
}

// summarize sets a link to the state of its worst item: the first that is broken or, if none
// is, that waits. Without such an item, the link is what it was.
func (l *Link) summarize() {
	for _, state := range []State{Broken, Waiting} {
		for _, item := range l.Items {
			if item.State == state {
				l.Finding = item
				return
			}
		}
	}
}
