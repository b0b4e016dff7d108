// SPDX-License-Identifier: Apache-2.0

package builtin

// pick is kube.pick.
func pick() Function {
	return checked(Function{
		Name:   "pick",
		Params: []Param{{Name: "object", Type: "map", Optional: true}, {Name: "fields", Type: "list", constant: constantPaths}},
		Result: "map",
		Doc:    "Returns a map of the named fields of a map, as pick(obj.status, {\"phase\", \"jobStatus.state\"}). A field is a path as get takes it, and stands in the result where it stood; what is missing is left out. It is empty for nil.",
	}, func(args []any, m Meter) (any, error) {
		object, paths, err := objectAndFields(args, m)
		if err == nil {
			err = payReads(paths, 1, m)
		}
		if err != nil {
			return refused(m, err)
		}
		return chosen(object, paths), nil
	})
}
