// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Limit is what one FederatedResourceQuota allows.
type Limit struct {
	// Name is namespace/name of the quota.
	Name string
	// Hard is its spec.overall.
	Hard corev1.ResourceList
}

// Shortage is one resource of one quota of which too little is left.
type Shortage struct {
	Quota    string
	Resource corev1.ResourceName
	// Asked is what is asked for beyond what the binding has, Left what is left; it is negative
	// if more is used than the quota allows.
	Asked, Left, Hard resource.Quantity
}

// ExceededError is why a change was refused: some quota of the namespace has too little left,
// so that none is charged.
type ExceededError struct {
	// Shortages are sorted by quota, in the order of the limits, and by resource.
	Shortages []Shortage
	// Ahead is how many others are admitted first, since they wait for longer or have a higher
	// priority, and what is left is theirs. 0 means that too little is left at all.
	Ahead int
}

// Error names each quota and resource with what was asked for and what is left.
func (e *ExceededError) Error() string {
	parts := make([]string, len(e.Shortages))
	for i, s := range e.Shortages {
		left := s.Left
		if left.Sign() < 0 {
			left = *resource.NewQuantity(0, resource.DecimalSI)
		}
		parts[i] = fmt.Sprintf("FederatedResourceQuota(%s) exceeded for resource %s: asked for %s more, %s of %s left",
			s.Quota, s.Resource, s.Asked.String(), left.String(), s.Hard.String())
	}
	text := strings.Join(parts, "; ")
	if e.Ahead > 0 {
		text += fmt.Sprintf(" after %d that wait before it", e.Ahead)
	}
	return text
}

// Decide returns an *ExceededError if a change of a binding does not fit into the limits of its
// namespace, all of them. used is what all bindings of the namespace use, the changed one among
// them; before and after is what that one uses. A resource of which the binding asks for no more
// is not looked at, so that a change that only frees something always fits.
func Decide(limits []Limit, used, before, after corev1.ResourceList) error {
	asked := Growth(before, after)
	if len(asked) == 0 {
		return nil
	}
	var short []Shortage
	for _, l := range limits {
		for _, name := range sorted(l.Hard) {
			plain, counted := Counted(name)
			more, asks := asked[plain]
			if !counted || !asks {
				continue
			}
			hard := l.Hard[name]
			left := hard.DeepCopy()
			left.Sub(used[plain])
			if more.Cmp(left) > 0 {
				short = append(short, Shortage{Quota: l.Name, Resource: name, Asked: more, Left: left, Hard: hard})
			}
		}
	}
	if len(short) > 0 {
		return &ExceededError{Shortages: short}
	}
	return nil
}
