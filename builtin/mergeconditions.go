// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"maps"
	"strings"
)

// mergeConditions is kube.mergeConditions. It follows Karmada's rule for the kinds of
// Flux and Kyverno.
func mergeConditions() Function {
	return checked(Function{
		Name:   "mergeConditions",
		Params: []Param{{Name: "items", Type: "list", Optional: true}},
		Result: "list",
		Doc:    "Merges status.conditions of the clusters. Conditions with equal type, status and reason become one: the first of them, with the message of each cluster behind its name, as \"member1=ready, member2=ready\"; a cluster whose condition has no message is not named. Clusters go by name, and conditions keep the order in which they come first. Where clusters differ a type stands more than once, so that none of them is hidden.",
	}, func(args []any, m Meter) (any, error) {
		merged, err := mergedConditions(arg(args, 0), m)
		if err != nil {
			return nil, err
		}
		return merged, nil
	})
}

// mergedConditions returns the merged conditions of status items.
func mergedConditions(items any, meter Meter) ([]any, error) {
	meter.Charge(1)
	all, err := members(items, memberGas, meter)
	if err != nil {
		return nil, err
	}
	merged := conditions{index: map[conditionKey]int{}, meter: meter}
	for _, m := range all {
		if err := merged.add(m); err != nil {
			return nil, err
		}
	}
	return merged.plain(), nil
}

// conditionKey is what makes conditions of several clusters the same.
type conditionKey struct{ kind, status, reason string }

// conditions holds the merged conditions, with the messages of each.
type conditions struct {
	index    map[conditionKey]int
	first    []map[string]any
	messages [][]string
	meter    Meter
}

// add adds the conditions of a cluster.
func (c *conditions) add(m member) error {
	list, err := asList("status.conditions of cluster "+m.cluster, m.status["conditions"])
	if err != nil {
		return err
	}
	for _, v := range list {
		condition, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("a condition of cluster %s must be a map, not a %s", m.cluster, typeName(v))
		}
		message, hasMessage := condition["message"].(string)
		c.meter.Charge(4 + int64(len(condition)) + int64(len(m.cluster)+len(message))/32)
		key := conditionKey{stringAt(condition, "type"), stringAt(condition, "status"), stringAt(condition, "reason")}
		i, known := c.index[key]
		if !known {
			i = len(c.first)
			c.index[key] = i
			c.first = append(c.first, condition)
			c.messages = append(c.messages, nil)
		}
		if hasMessage {
			c.messages[i] = append(c.messages[i], m.cluster+"="+message)
		}
	}
	return nil
}

// plain returns the conditions with their messages.
func (c *conditions) plain() []any {
	out := make([]any, len(c.first))
	for i, first := range c.first {
		out[i] = first
		if len(c.messages[i]) > 0 {
			condition := maps.Clone(first)
			condition["message"] = strings.Join(c.messages[i], ", ")
			out[i] = condition
		}
	}
	return out
}
