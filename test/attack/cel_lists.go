// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// celLists are lists and maps that grow, and loops over them.
func celLists() []Attack {
	return []Attack{
		{"map of a range", `lists.range(100000).map(i, [i])`, script.Gas},
		{"lists in lists", Forever(`[[[[[[[[[i]]]]]]]]].size() > 0`), script.Memory},
		{"maps in a loop", Forever(`{"a": 1, "b": 2, "c": i}.size() > 0`), script.Gas},
		{"transformMap", Forever(`object.fields.transformMap(k, v, 1).size() > 0`), script.Gas},
		{"concatenation of lists", Forever(`(object.maps + object.maps).size() > 0`), script.Memory},
		{"equality of objects", Forever(`object == object`), script.Gas},
		{"key in map", Forever(`!(object.big in object)`), script.Gas},
		{"index", Forever(`object[?object.big].orValue(true)`), script.Gas},
		{"key of a new map", Forever(`{object.big: 1}.size() == 1`), script.Gas},
		{"member of a constant", Forever(`!(object.big in ["a", "b"])`), script.Gas},
		{"member of a list", Forever(`!("x" in object.names)`), script.Gas},
		{"sort", Forever(`object.numbers.sort().size() > 0`), script.Gas},
		{"sortBy", Forever(`object.maps.sortBy(x, x.a.b).size() > 0`), script.Gas},
		{"distinct", Forever(`object.numbers.distinct().size() > 0`), script.Gas},
		{"sets", Forever(`sets.equivalent(object.numbers, object.numbers)`), script.Gas},
		{"sum", Forever(`object.numbers.sum() > 0`), script.Gas},
		{"slice", Forever(`object.maps.slice(0, 1000).size() > 0`), script.Memory},
		{"filter", Forever(`object.maps.filter(x, x.a.b > 3).size() > 0`), script.Gas},
		{"nothing", Forever(`true`), script.Gas},
		{"sets intersect", Forever(`sets.intersects(object.numbers, object.names)`), script.Gas},
		{"sets contain", Forever(`sets.contains(object.names, object.names)`), script.Gas},
		{"indexOf in a list", Forever(`object.numbers.indexOf(-1) < 0`), script.Gas},
		{"lastIndexOf in a list", Forever(`object.maps.lastIndexOf(1) < 0`), script.Gas},
		{"min and max", Forever(`object.numbers.min() < object.numbers.max()`), script.Gas},
		{"isSorted", Forever(`object.numbers.isSorted()`), script.Gas},
		{"flatten of a doubled list", Nested(30, "[1]", "[$,$].flatten()", "$.size()"), script.Gas},
		{"flatten deep", Nested(30, "[1]", "dyn([$,$])", "$.flatten(100).size()"), script.Gas},
		{"flatten far", `[[1], [2]].flatten(9223372036854775807)`, Harmless},
		{"slice far", `object.numbers.slice(-1, 9223372036854775807)`, script.Type},
		{"range below nothing", `lists.range(-5)`, script.Type},
		{"index far away", `object.numbers[9223372036854775807]`, script.Type},
		{"reverse of a list", Forever(`object.maps.reverse().size() > 0`), Limited},
		{"sort of long texts", `lists.range(1000).map(i, object.s + string(i)).sort().size()`, Harmless},
		{"sortBy of built keys", Forever(`object.numbers.sortBy(x, object.s + string(x)).size() > 0`), script.Gas},
		{"distinct of maps", `object.maps.distinct().size()`, script.Gas},
		{"exists in exists", Forever(`!object.numbers.exists(x, object.numbers.exists(y, x + y < 0))`), script.Gas},
		{"list built in a loop of loops", `object.numbers.map(x, object.numbers.map(y, [x, y]))`, Limited},
		{"optional list", Forever(`object.numbers.first().hasValue() && object[?"none"].optMap(x, x).orValue(1) == 1`), script.Gas},
		{"zip by position", Forever(`object.names.all(k, v, object.names[k] == v)`), script.Gas},
	}
}
