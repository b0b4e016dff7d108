// SPDX-License-Identifier: Apache-2.0

package builtin

// sumStatus is kube.sumStatus.
func sumStatus() Function {
	return checked(Function{
		Name: "sumStatus",
		Params: []Param{
			{Name: "items", Type: "list", Optional: true},
			{Name: "fields", Type: "list", constant: constantPaths},
			{Name: "status", Type: "map", Optional: true},
		},
		Result: "map",
		Doc:    "Returns a status: the given one, or an empty one, with the sum over the clusters in each of the fields: sumStatus(items, {\"replicas\", \"readyReplicas\"}, obj.status). A field is a path as get takes it. Items without status count nothing, and a field that neither the status nor any item has is left out. A value that is no number is an error.",
	}, func(args []any, m Meter) (any, error) {
		all, err := members(arg(args, 0), memberGas, m)
		if err != nil {
			return refused(m, err)
		}
		paths, err := fieldPaths(arg(args, 1), m)
		if err != nil {
			return refused(m, err)
		}
		status, err := asMap("status", arg(args, 2))
		if err != nil {
			return refused(m, err)
		}
		if err := payReads(paths, len(all)+1, m); err != nil {
			return nil, err
		}
		changes, err := sums(all, paths, status)
		if err != nil {
			return nil, err
		}
		if changes == nil && status != nil {
			return status, nil
		}
		return MergePatch(status, changes.plain(), m), nil
	})
}

// sums returns the sums that differ from what the status holds, nil where all are
// the same.
func sums(all []member, paths []fieldPath, status map[string]any) (tree, error) {
	var changes tree
	for _, p := range paths {
		sum, err := sumOf(all, p)
		if err != nil {
			return nil, err
		}
		old := p.in(status)
		if sum == nil && old != nil {
			sum = int64(0)
		}
		if sum == nil || old == sum {
			continue
		}
		if changes == nil {
			changes = tree{}
		}
		changes.put(p, sum)
	}
	return changes, nil
}

// sumOf adds up one field; it is nil where no cluster has it.
func sumOf(all []member, path fieldPath) (any, error) {
	var sum any
	for _, m := range all {
		v := path.in(m.status)
		switch v.(type) {
		case nil:
		case int64, float64:
			sum = plus(sum, v)
		default:
			return nil, m.wrong(path.String(), "a number", v)
		}
	}
	return sum, nil
}

// plus adds two numbers, nil counting as 0. The sum is an int64 wherever it is
// whole and fits.
func plus(a, b any) any {
	if a == nil {
		a = int64(0)
	}
	x, ok := whole(a)
	y, ok2 := whole(b)
	if sum := x + y; ok && ok2 && (sum > x) == (y > 0) {
		return sum
	}
	sum := float(a) + float(b)
	if n, ok := whole(sum); ok && sum < 1<<53 && sum > -1<<53 {
		return n
	}
	return sum
}

// float returns a number as a float64.
func float(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	f, _ := v.(float64)
	return f
}
