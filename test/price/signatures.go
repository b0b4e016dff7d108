// SPDX-License-Identifier: Apache-2.0

package price

// signatures are the kinds of the arguments of the library functions of Lua, "" being any.
// A function without one is an error: whoever adds a function says here what to call it
// with.
var signatures = map[string][]string{
	"assert": {"", ""}, "error": {"", "number"}, "ipairs": {"list"}, "next": {"map"}, "pairs": {"map"}, "pcall": {"function", "", ""}, "print": {"", "", ""}, "require": {"text"},
	"select": {"number", "", "", ""}, "tonumber": {"text"}, "tostring": {""}, "type": {""}, "unpack": {"list", "number", "number"}, "xpcall": {"function", "function"},
	"math.abs": {"number"}, "math.acos": {"number"}, "math.asin": {"number"}, "math.atan": {"number"}, "math.atan2": {"number", "number"}, "math.ceil": {"number"}, "math.cos": {"number"},
	"math.cosh": {"number"}, "math.deg": {"number"}, "math.exp": {"number"}, "math.floor": {"number"}, "math.fmod": {"number", "number"}, "math.frexp": {"number"}, "math.ldexp": {"number", "number"},
	"math.log": {"number"}, "math.log10": {"number"}, "math.max": {"number", "number", "number"}, "math.min": {"number", "number", "number"}, "math.modf": {"number"}, "math.pow": {"number", "number"},
	"math.rad": {"number"}, "math.sin": {"number"}, "math.sinh": {"number"}, "math.sqrt": {"number"}, "math.tan": {"number"}, "math.tanh": {"number"},
	"os.date": {"text"}, "os.difftime": {"number", "number"}, "os.time": {"map"},
	"string.byte": {"text", "number", "number"}, "string.char": {"number"}, "string.find": {"text", "text", "number", "other"}, "string.format": {"text", "", "", ""},
	"string.gmatch": {"text", "text"}, "string.gsub": {"text", "text", "text"}, "string.len": {"text"}, "string.lower": {"text"}, "string.match": {"text", "text", "number"}, "string.rep": {"text", "number"},
	"string.reverse": {"text"}, "string.sub": {"text", "number", "number"}, "string.upper": {"text"},
	"table.concat": {"list", "text"}, "table.getn": {"list"}, "table.insert": {"list", "number", ""}, "table.maxn": {"list"}, "table.remove": {"list", "number"}, "table.sort": {"list", "function"},
}
