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
		Params: []Param{{Name: "items", Type: "list", Optional: true}, {Name: "trueLast", Type: "list", Optional: true}},
		Result: "list",
		Doc:    "Merges status.conditions of the clusters. Conditions with equal type, status and reason become one: the first of them, with the message of each cluster behind its name, as \"member1=ready, member2=ready\"; a cluster whose condition has no message is not named. Clusters go by name, and conditions keep the order in which they come first. Where clusters differ a type stands more than once, so that none of them is hidden; of the types in trueLast one that is not True stands before those that are, since clients read the first.",
	}, func(args []any, m Meter) (any, error) {
		merged, err := mergedConditions(arg(args, 0), false, m)
		if err != nil {
			return nil, err
		}
		last, err := asList("trueLast", arg(args, 1))
		if err != nil {
			return nil, err
		}
		m.Charge(int64(len(last) * len(merged)))
		for _, kind := range last {
			putLast(merged, kind)
		}
		return merged, nil
	})
}

// mergedConditions returns the merged conditions of status items. With ofTemplate their observedGeneration
// is that of the template, and of several the least.
func mergedConditions(items any, ofTemplate bool, meter Meter) ([]any, error) {
	meter.Charge(1)
	all, err := members(items, memberGas, meter)
	if err != nil {
		return nil, err
	}
	merged := conditions{index: map[conditionKey]int{}, ofTemplate: ofTemplate, meter: meter}
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
	// ofTemplate reports whether observedGeneration is to be that of the template.
	ofTemplate bool
	meter      Meter
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
		if c.ofTemplate {
			c.observe(i, m, condition, known)
		}
		if hasMessage {
			c.messages[i] = append(c.messages[i], m.cluster+"="+message)
		}
	}
	return nil
}

// putLast lets a condition of that type which is True and the first one of it which is not change places,
// where the former stands first.
func putLast(all []any, kind any) {
	yes := -1
	for i, condition := range all {
		switch {
		case stringAt(condition, "type") != kind:
		case stringAt(condition, "status") == "True" && yes < 0:
			yes = i
		case stringAt(condition, "status") != "True":
			if yes >= 0 {
				all[yes], all[i] = all[i], all[yes]
			}
			return
		}
	}
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

// observe gives a merged condition the observedGeneration of one that a cluster reports, as a generation of
// the template, unless it has a lesser one of another cluster. Where a cluster does not report the
// generations of its object and of the template, the condition stays as it is.
func (c *conditions) observe(i int, m member, reported map[string]any, known bool) {
	observed, ok := whole(reported["observedGeneration"])
	own, hasOwn := whole(m.status["generation"])
	at, hasTemplate := whole(m.status["resourceTemplateGeneration"])
	if !ok || !hasOwn || !hasTemplate {
		return
	}
	if observed < own {
		at = max(at-1, 0)
	}
	if before, ok := whole(c.first[i]["observedGeneration"]); known && ok && before <= at {
		return
	}
	c.meter.Charge(int64(len(reported)))
	c.first[i] = maps.Clone(c.first[i])
	c.first[i]["observedGeneration"] = at
}
