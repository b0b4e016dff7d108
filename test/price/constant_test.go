// SPDX-License-Identifier: Apache-2.0

package price

import "testing"

// constant are the functions that take the same time whatever their arguments are: they
// look at no more than a type, a length or a few parts, or refuse what is long unread.
var constant = []string{
	"Lua #", "Lua # of a text", "Lua %", "Lua *", "Lua +", "Lua -", "Lua /", "Lua ^", "Lua and", "Lua not", "Lua unary -", "Lua call", "Lua constructor",
	"Lua index of a constant", "Lua index of a list", "Lua method", "Lua numeric for", "Lua assignment in a list",
	"Lua assert", "Lua ipairs", "Lua pairs", "Lua pcall", "Lua xpcall", "Lua select", "Lua tonumber", "Lua tostring", "Lua type", "Lua unpack",
	"Lua kube.inQueue", "Lua kube.retainsReplicas", "Lua os.difftime", "Lua os.time", "Lua string.byte", "Lua string.char", "Lua string.gmatch", "Lua string.len",
	"Lua string.sub", "Lua table.getn", "Lua table.insert", "Lua table.maxn", "Lua table.remove", "Lua tonumber of a base", "Lua tostring of a float",
	"Lua string method",
	"Lua math.abs", "Lua math.acos", "Lua math.asin", "Lua math.atan", "Lua math.atan2", "Lua math.ceil", "Lua math.cos", "Lua math.cosh",
	"Lua math.deg", "Lua math.exp", "Lua math.floor", "Lua math.fmod", "Lua math.frexp", "Lua math.ldexp", "Lua math.log", "Lua math.log10",
	"Lua math.max", "Lua math.min", "Lua math.modf", "Lua math.pow", "Lua math.rad", "Lua math.sin", "Lua math.sinh", "Lua math.sqrt", "Lua math.tan",
	"Lua math.tanh",
	"CEL !_", "CEL -_", "CEL _%_", "CEL _*_", "CEL _-_", "CEL _/_", "CEL _&&_", "CEL _||_", "CEL _?_:_",
	"CEL add", "CEL asApproximateFloat", "CEL asInteger", "CEL cidr", "CEL compareTo", "CEL containsCIDR", "CEL containsIP", "CEL duration",
	"CEL family", "CEL first", "CEL format.named", "CEL hasValue", "CEL ip", "CEL ip.isCanonical", "CEL isCIDR", "CEL isGreaterThan", "CEL isUnspecified", "CEL isLoopback", "CEL isLinkLocalMulticast", "CEL isLinkLocalUnicast", "CEL isGlobalUnicast", "CEL isInteger",
	"CEL isIP", "CEL isLessThan", "CEL isQuantity", "CEL isSemver", "CEL isURL", "CEL kube.inQueue", "CEL kube.retainsReplicas", "CEL last", "CEL literal:field",
	"CEL literal:optional-field", "CEL literal:test-of-a-field", "CEL major", "CEL masked", "CEL minor", "CEL or", "CEL orValue", "CEL patch",
	"CEL prefixLength", "CEL quantity", "CEL semver", "CEL sign", "CEL sub", "CEL timestamp", "CEL url", "CEL value",
	"CEL math.abs", "CEL math.bitAnd", "CEL math.bitNot", "CEL math.bitOr", "CEL math.bitShiftLeft", "CEL math.bitShiftRight", "CEL math.bitXor",
	"CEL math.ceil", "CEL math.floor", "CEL math.isFinite", "CEL math.isInf", "CEL math.isNaN", "CEL math.round", "CEL math.sign", "CEL math.sqrt",
	"CEL math.trunc",
}

// uncallable are the overloads that no expression calls: old names of in.
var uncallable = []string{"CEL _in_ in_list", "CEL _in_ in_map", "CEL in in_list", "CEL in in_map"}

// TestConstantsExist checks that the list names functions that there are, each once.
func TestConstantsExist(t *testing.T) {
	known := map[string]bool{}
	lua, err := Lua(compiler(t), seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	cel, err := CEL(compiler(t), seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range append(lua, cel...) {
		known[subject.function] = true
	}
	for _, name := range constant {
		if !known[name] {
			t.Errorf("%s is listed as constant twice, or there is no such function", name)
		}
		delete(known, name)
	}
}
