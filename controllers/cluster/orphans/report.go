// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of the condition.
const (
	ReasonFound     = "Found"
	ReasonNoneFound = "NoneFound"
	// ReasonNotAllListed means that none were found, and that not all kinds may be listed.
	ReasonNotAllListed = "NotAllListed"
)

// shown is how many names a message has.
const shown = 10

// conditionOf returns the condition of a cluster in which this was found.
func conditionOf(cluster string, found Found) metav1.Condition {
	c := metav1.Condition{Type: Condition, Status: metav1.ConditionFalse, Reason: ReasonNoneFound, Message: "nothing is left of an earlier membership"}
	if n := len(found.Orphans); n > 0 {
		c.Status, c.Reason = metav1.ConditionTrue, ReasonFound
		c.Message = fmt.Sprintf("%s left that this control plane wrote and has no Work for: %s; dragoman clusters orphans %s shows them, and deletes them with --delete",
			counted(n, "object is", "objects are"), listed(found.Orphans), cluster)
	} else if len(found.Refused) > 0 {
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, ReasonNotAllListed, "no object of an earlier membership was found"
	}
	if len(found.Refused) > 0 {
		c.Message += fmt.Sprintf("; the control plane may not list there: %s", bounded(found.Refused))
	}
	return c
}

func listed(all []Orphan) string {
	texts := make([]string, 0, len(all))
	for _, o := range all {
		texts = append(texts, o.String())
	}
	return bounded(texts)
}

// bounded returns the first texts, and how many more there are.
func bounded(texts []string) string {
	if more := len(texts) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:shown], ", "), more)
	}
	return strings.Join(texts, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
