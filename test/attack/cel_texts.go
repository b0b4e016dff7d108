// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// celTexts are texts that grow, and long texts read again and again.
func celTexts() []Attack {
	return []Attack{
		{"indexOf on dyn", `object.big.indexOf(object.medium + "b")`, script.Gas},
		{"indexOf in a loop", Forever(`object.s.indexOf("b") < 0`), script.Memory},
		{"replace", `object.big.replace("a", object.big)`, script.Memory},
		{"replace nothing", Nested(5, "object.s", "$.replace('', $)", "$.size()"), script.Memory},
		{"join with a long text", `lists.range(10000).map(i, "").join(object.big)`, script.Memory},
		{"join one text often", `lists.range(10000).map(i, object.big).join()`, script.Gas},
		{"split into characters", `object.big.split("").size()`, script.Gas},
		{"split in a loop", Forever(`object.medium.split("").size() > 0`), script.Gas},
		{"findAll of nothing", `object.big.findAll("").size()`, script.Gas},
		{"format of digits", Forever(`"%.100f%.100f".format([1e300, 1e300]) != ""`), script.Gas},
		{"format as bits", Forever(`"%x".format([object.medium]) != ""`), script.Memory},
		{"contains", Forever(`!object.big.contains("b")`), script.Gas},
		{"startsWith", Forever(`object.big.startsWith(object.big)`), script.Gas},
		{"size", Forever(`object.big.size() > 0`), script.Gas},
		{"comparison", Forever(`object.big <= object.big`), script.Gas},
		{"equality", Forever(`object.big == object.big`), script.Gas},
		{"characters", Forever(`object.medium.charAt(1) == "a"`), script.Memory},
		{"lower case", Forever(`object.medium.lowerAscii() != ""`), script.Memory},
		{"quotes", Forever(`strings.quote(object.medium) != ""`), script.Gas},
		{"conversion to bytes", Forever(`bytes(object.big).size() > 0`), script.Gas},
		{"errors with long text", Forever(`int(object.big) > 1 || true`), script.Gas},
		{"text per item", `lists.range(1000).map(i, object.big + "x")`, script.Memory},
		{"text of an object", `"%s".format([object])`, script.Memory},
		{"text of an object often", Forever(`"%s".format([object.maps]) != ""`), Limited},
		{"reverse", Forever(`object.big.reverse() != ""`), Limited},
		{"replace of each letter", `object.big.replace("a", "bb")`, script.Memory},
		{"replace in a loop", Forever(`object.medium.replace("a", "b") != ""`), Limited},
		{"lastIndexOf", `object.big.lastIndexOf(object.medium + "b")`, script.Gas},
		{"substring", Forever(`object.big.substring(1).size() > 0`), script.Gas},
		{"split with a limit", `object.big.split("a", 1000000).size()`, script.Gas},
		{"join of the object", Forever(`object.names.join(object.s) != ""`), Limited},
		{"join of maps", Forever(`["a", object.maps].join(",") != ""`), Limited},
		{"trim", Forever(`object.medium.trim() != ""`), Limited},
		{"string of a number", Forever(`string(1e308 + double(i)) != ""`), Limited},
		{"format of a deep list", Nested(30, "['a']", "dyn([$,$])", "'%s'.format([$]).size()"), script.Gas},
		{"format of no precision", `"%.1000000f".format([1.0])`, script.Syntax},
		{"contains of a built text", Forever(`!(object.medium + string(i)).contains("b")`), script.Gas},
		{"endsWith", Forever(`object.big.endsWith(object.big)`), script.Gas},
		{"text as a number of digits", `double(object.digits) > 0.0`, script.Type},
		{"text as an integer", Forever(`int(object.digits) > 0 || true`), script.Gas},
	}
}
