// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Claim restricts the nodes of a replica. A nil claim allows all nodes that have no taint
// and are not cordoned.
type Claim struct {
	selector    map[string]string
	affinity    *nodeaffinity.NodeSelector
	tolerations []corev1.Toleration
	// keys are the labels that the claim reads; fields is set if it reads a node's name.
	keys   []string
	fields bool
}

// NewClaim returns a claim of a node selector, a required node affinity, which may be
// nil, and tolerations. It keeps its arguments. The error is that of an affinity that is
// not valid.
func NewClaim(selector map[string]string, affinity *corev1.NodeSelector, tolerations []corev1.Toleration) (*Claim, error) {
	c := &Claim{selector: selector, tolerations: tolerations}
	for key := range selector {
		c.keys = append(c.keys, key)
	}
	if affinity == nil {
		return c, nil
	}
	var err error
	if c.affinity, err = nodeaffinity.NewNodeSelector(affinity); err != nil {
		return nil, err
	}
	for _, term := range affinity.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			c.keys = append(c.keys, e.Key)
		}
		c.fields = c.fields || len(term.MatchFields) > 0
	}
	return c, nil
}

// allows reports whether the claim allows nodes of a class.
func (c *Claim) allows(of *class) bool {
	var tolerations []corev1.Toleration
	if c != nil {
		tolerations = c.tolerations
		for key, value := range c.selector {
			if has, ok := of.node.Labels[key]; !ok || has != value {
				return false
			}
		}
		if c.affinity != nil && !c.affinity.Match(of.node) {
			return false
		}
	}
	if len(of.taints) == 0 {
		return true
	}
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(logr.Discard(), of.taints, tolerations, nil, true)
	return !untolerated
}

// Requirements are what one replica needs.
type Requirements struct {
	Claim         *Claim
	PriorityClass string
	// Requests are the amounts that a pod requests; the zero value is a pod that requests
	// nothing, which still is one pod.
	Requests corev1.ResourceList
}

// Component is one kind of pod of a workload.
type Component struct {
	Name string
	// Replicas below 1 need nothing.
	Replicas     int32
	Requirements Requirements
}

// Workload is one set of components in a namespace.
type Workload struct {
	Namespace  string
	Components []Component
}

// needs are the requirements of replicas that are placed in one view.
type needs struct {
	claim         *Claim
	priorityClass string
	replicas      int64
	requests      []Request
	// amounts are the requests by the index of their resource.
	amounts []need
	// impossible is set if no node has one of the resources.
	impossible bool

	// parts, if there are any, are what must be allowed in the place of claim.
	parts []*needs

	// last and allowed remember the last answer of allows.
	last    *class
	allowed bool
}

type need struct {
	index  int
	amount int64
}

// allows reports whether the claim allows nodes of a class.
func (n *needs) allows(c *class) bool {
	if n.last == c {
		return n.allowed
	}
	n.last = c
	if len(n.parts) == 0 {
		n.allowed = n.claim.allows(c)
	} else {
		n.allowed = !slices.ContainsFunc(n.parts, func(part *needs) bool { return !part.allows(c) })
	}
	return n.allowed
}

// fits returns how many replicas one node of a group takes, if the claim allows it.
func (n *needs) fits(g *group) int64 {
	most := int64(-1)
	for _, a := range n.amounts {
		if a.index >= len(g.free) || g.free[a.index] < a.amount {
			return 0
		}
		if q := g.free[a.index] / a.amount; most < 0 || q < most {
			most = q
		}
	}
	if n.impossible || most <= 0 || !n.allows(g.class) {
		return 0
	}
	return most
}
