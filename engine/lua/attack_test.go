package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

// harmless is the code of an attack that may succeed, since it does nothing;
// limited that of one that meets whichever limit is the first.
const (
	harmless script.Code = ""
	limited  script.Code = "one of the limits"
)

func TestAttacks(t *testing.T) {
	repeated := func(s string, n int) string { return strings.Repeat(s, n) }
	tests := map[string]struct {
		source string
		want   script.Code
	}{
		"endless loop":                 {`while true do end`, script.Gas},
		"endless repeat":               {`repeat until false`, script.Gas},
		"endless for":                  {`for i = 1, math.huge do end`, script.Gas},
		"endless for downwards":        {`for i = 1, -math.huge, -1 do end`, script.Gas},
		"endless generic for":          {`for k in function() return 1 end do end`, script.Gas},
		"endless pairs":                {`local t = {1} for i in pairs(t) do t[i + 1] = 1 end`, script.Gas},
		"endless ipairs":               {`local t = {1} for i in ipairs(t) do t[i + 1] = 1 end`, script.Gas},
		"string doubled":               {`local s = "x" while true do s = s .. s end`, script.Memory},
		"string grown":                 {`local s = "" for i = 1, 1e6 do s = s .. "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" end`, script.Memory},
		"large index":                  {`local t = {} t[60000000] = 1`, harmless},
		"large indexes":                {`local t = {} for i = 1, 4 do t[60000000 * i] = i end return #t`, harmless},
		"huge and odd indexes":         {`local t = {} t[2^53] = 1 t[-2^53] = 1 t[1e308] = 1 t[math.huge] = 1`, harmless},
		"pattern a- times eight":       {`local s = string.rep("a", 64) return string.find(s, "a-a-a-a-a-a-a-a-b")`, script.Gas},
		"pattern a- times four":        {`local s = string.rep("a", 256) return string.find(s, "a-a-a-a-b")`, script.Gas},
		"pattern .-b":                  {`local s = string.rep("a", 512 * 1024) return string.find(s, ".-b")`, script.Gas},
		"pattern .*.*.*b":              {`local s = string.rep("a", 1024) return string.find(s, ".*.*.*b")`, script.Gas},
		"pattern %b":                   {`local s = string.rep("(", 128 * 1024) return string.find(s, "%b()")`, script.Gas},
		"pattern deep":                 {`return string.find(string.rep("a", 300), string.rep("a?", 300) .. "b")`, script.Depth},
		"pattern captures":             {`return string.find("a", string.rep("()", 40))`, script.Type},
		"pattern nested captures":      {`return string.find("a", string.rep("(", 300))`, script.Type},
		"pattern set":                  {`return string.find(string.rep("a", 1e5), "[" .. string.rep("b", 1e5) .. "]*c")`, script.Gas},
		"pattern of nothing":           {`return string.gsub(string.rep("a", 1e5), "", "b")`, harmless},
		"gmatch":                       {`for w in string.gmatch(string.rep("a ", 1e5), "%a+%s*$") do end`, script.Gas},
		"format width":                 {`return string.format("%1000000d", 1)`, script.Type},
		"format widths":                {`return string.format(string.rep("%99d", 1e4), unpack({}, 1, 7000))`, script.Type},
		"format of long strings":       {`local s = string.rep("x", 1e6) return string.format("%s%s%s%s%s%s%s%s%s%s%s%s", s, s, s, s, s, s, s, s, s, s, s, s)`, script.Memory},
		"concat":                       {`local t, s = {}, string.rep("x", 2^20) for i = 1, 1000 do t[i] = s end return table.concat(t)`, script.Memory},
		"concat of separators":         {`local t = {} for i = 1, 100 do t[i] = "" end return table.concat(t, string.rep("x", 2^19))`, script.Memory},
		"concat over a huge range":     {`return table.concat({}, "x", 1, 2^40)`, script.Type},
		"concat over nothing":          {`return table.concat({}, "x", 2^40, 1)`, harmless},
		"rep":                          {`return string.rep("x", 1e9)`, script.Memory},
		"rep overflow":                 {`return string.rep(string.rep("x", 1000), 2^62)`, script.Memory},
		"gsub grows":                   {`return string.gsub(string.rep("x", 65536), "x", string.rep("y", 65536))`, script.Memory},
		"gsub template":                {`return string.gsub(string.rep("x", 65536), ".*", string.rep("%0", 1000))`, script.Memory},
		"gsub function":                {`return string.gsub(string.rep("x", 65536), "x", function() return string.rep("y", 65536) end)`, script.Memory},
		"upper":                        {`local s = string.rep("x", 2^20) for i = 1, 1000 do s:upper() end`, script.Memory},
		"byte":                         {`return string.byte(string.rep("x", 1e6), 1, -1)`, script.Type},
		"unpack":                       {`return unpack({}, 1, 1e9)`, script.Type},
		"unpack negative":              {`return unpack({}, -1e15, 1e15)`, script.Type},
		"unpack often":                 {`local t = {} while true do t = {unpack({}, 1, 7000)} end`, limited},
		"varargs often":                {`local function f(...) return f(...) end f(unpack({}, 1, 7900))`, limited},
		"varargs collected":            {`local t = {} local function f(...) t[#t + 1] = {...} t[#t + 1] = function() return t end end while true do f(unpack({}, 1, 7000)) end`, limited},
		"select over and over":         {`local function f(...) return select(2, ...) end while true do f(unpack({}, 1, 7000)) end`, script.Gas},
		"char of many":                 {`return #string.char(unpack({}, 1, 100))`, script.Type},
		"recursion":                    {`local function f() return 1 + f() end f()`, script.Depth},
		"tail recursion":               {`local function f() return f() end f()`, script.Depth},
		"recursion through pcall":      {`local function f() return pcall(f) end f()`, script.Depth},
		"recursion through gsub":       {`local function f() return (string.gsub("x", "x", f)) end f()`, script.Depth},
		"recursion through sort":       {`local function f() table.sort({1, 2, 3}, f) end f()`, script.Depth},
		"recursion through iterators":  {`local function f() for _ in f do end end f()`, script.Depth},
		"pcall in pcall in pcall":      {`local t = {} for i = 1, 5000 do t[i] = pcall end return pcall(unpack(t))`, script.Depth},
		"mutual recursion":             {`local f, g function f() return g() end function g() return f() end f()`, script.Depth},
		"pcall around an endless loop": {`while true do pcall(function() while true do end end) end`, script.Gas},
		"xpcall around memory":         {`xpcall(function() local s = "x" while true do s = s .. s end end, function() while true do end end)`, script.Memory},
		"pcall around recursion":       {`local function f() return 1 + f() end pcall(f) while true do end`, script.Depth},
		"pcall for ever":               {`while true do pcall(error) end`, script.Gas},
		"xpcall handler fails":         {`xpcall(error, function(e) error("again") end)`, script.User},
		"insert at the front":          {`local t = {} for i = 1, 200000 do table.insert(t, 1, i) end`, script.Gas},
		"remove at the front":          {`local t = {} for i = 1, 20000 do t[i] = i end while #t > 0 do table.remove(t, 1) end`, script.Gas},
		"list grows":                   {`local t = {} for i = 1, 1e6 do t[i] = i end`, limited},
		"fields grow":                  {`local t = {} for i = 1, 1e6 do t["k" .. i] = i end`, limited},
		"pairs grow":                   {`local t = {} for i = 1, 1e6 do t[-i] = i end`, limited},
		"tables":                       {`while true do local t = {} end`, limited},
		"tables with constants":        {`while true do local t = {a = 1, b = 2, c = 3} end`, limited},
		"closures":                     {`while true do local x = 1 local f = function() return x end end`, limited},
		"strings":                      {`local s = string.rep("x", 100) while true do local t = s .. "y" end`, limited},
		"substrings":                   {`local s = string.rep("x", 1e5) while true do local t = s:sub(2) end`, script.Gas},
		"tostring":                     {`while true do local s = tostring(12345.678) end`, script.Gas},
		"long strings compared":        {`local a, b = string.rep("x", 1e6), string.rep("x", 1e6) while a == b do end`, script.Gas},
		"long strings ordered":         {`local a, b = string.rep("x", 1e6), string.rep("x", 1e6) while a <= b do end`, script.Gas},
		"long strings as keys":         {`local a, t = string.rep("x", 1e6), {} t[a] = 1 while t[a] do end`, script.Gas},
		"length of a long tail":        {`local t = kube.list(unpack({}, 1, 7000)) while #t == 0 do end`, script.Gas},
		"sort without order":           {`local t = {} for i = 1, 100 do t[i] = i % 7 end table.sort(t, function() return true end) return #t`, harmless},
		"sort at random":               {`local n, t = 1, {} for i = 1, 200 do t[i] = i end table.sort(t, function() n = (n * 1103515245 + 12345) % 2147483648 return n % 2 == 0 end) return #t`, harmless},
		"sort that shrinks":            {`local t = {5, 4, 3, 2, 1} table.sort(t, function(a, b) t[#t] = nil return a < b end) return #t`, harmless},
		"sort that grows":              {`local t = {5, 4, 3, 2, 1} table.sort(t, function(a, b) t[#t + 1] = 1 return a < b end) return #t`, harmless},
		"sort of many":                 {`local t = {} for i = 1, 10000 do t[i] = -i end table.sort(t, function(a, b) return a < b end)`, script.Gas},
		"sort mixed":                   {`table.sort({1, "x", {}, true})`, script.Type},
		"iteration that deletes":       {`local t = {} for i = 1, 100 do t["k" .. i] = i t[i] = i end for k in pairs(t) do t[k] = nil end return next(t)`, harmless},
		"iteration that adds":          {`local t = {a = 1} for k, v in pairs(t) do t[k .. "x"] = v if #k > 50 then break end end`, harmless},
		"next with a foreign key":      {`return next({}, {})`, script.Type},
		"deep result":                  {`local t = {} for i = 1, 9000 do t = {t} end return t`, script.Result},
		"large result":                 {`local t = {} for i = 1, 500000 do t[i] = {} end return t`, limited},
		"doubled result":               {`local t = {1} for i = 1, 40 do t = {t, t} end return t`, script.Memory},
		"doubled map":                  {`local t = {x = 1} for i = 1, 40 do t = {a = t, b = t} end return t`, script.Memory},
		"object many times":            {`local t = {} for i = 1, 30000 do t[i] = params end return t`, limited},
		"part of the object often":     {`local t, l = {}, params.list table.insert(l, 1) for i = 1, 20000 do t[i] = l end return t`, script.Memory},
		"cyclic result":                {`local t = {} t[1] = t return t`, script.Result},
		"cyclic result that doubles":   {`local t = {} t.a, t.b = t, t return t`, script.Result},
		"cycle through the object":     {`params.self = params return params`, script.Result},
		"kube merge often":             {`local a = {} for i = 1, 1000 do a["k" .. i] = i end while true do a = kube.merge(a, a) end`, script.Memory},
		"kube quantity exponent":       {`return kube.resourceAdd("1e999999999", "1")`, script.Type},
		"kube quantity digits":         {`return kube.resourceAdd(string.rep("9", 1e6))`, script.Type},
		"kube get of a long path":      {`local p = string.rep("a.", 1e5) while true do kube.get({}, p) end`, script.Gas},
		"print often":                  {`while true do print(string.rep("x", 1e5)) end`, script.Memory},
		"error with a long message":    {`while true do pcall(error, string.rep("x", 1e5)) end`, script.Memory},
		"error with a deep value":      {`local t = {} for i = 1, 1000 do t = {t} end error(t)`, script.User},
		"integer overflow in a loop":   {`local n = 0 for i = 9223372036854775800, 9223372036854775807 do n = n + 1 end return n`, harmless},
		"integer limits":               {`return (-9223372036854775807 - 1) / -1, (-9223372036854775807 - 1) % -1, math.abs(-9223372036854775807 - 1), -(-9223372036854775807 - 1)`, harmless},
		"os.date far away":             {`return os.date("%Y", 9e18)`, script.Type},
		"os.date grows":                {`return os.date(string.rep("%c", 5e5))`, script.Memory},
		"too many locals":              {repeated("local x = 1 ", 201), script.Syntax},
		"locals in blocks":             {repeated("do local x = 1 end ", 1000), harmless},
		"source too large":             {"x = " + repeated("#", 1<<20) + "y", script.Syntax},
		"lengths":                      {"x = " + repeated("#", 60000) + "y", script.Syntax},
		"minuses":                      {"x = " + repeated("- ", 30000) + "1", script.Syntax},
		"nots":                         {"x = " + repeated("not ", 15000) + "1", script.Syntax},
		"brackets":                     {"x = " + repeated("(", 30000) + "1" + repeated(")", 30000), script.Syntax},
		"braces":                       {"x = " + repeated("{", 30000) + repeated("}", 30000), script.Syntax},
		"indexes":                      {"x = a" + repeated("[a", 20000) + repeated("]", 20000), script.Syntax},
		"functions":                    {repeated("function f() ", 4000) + repeated(" end", 4000), script.Syntax},
		"function expressions":         {"x = " + repeated("function() return ", 3000) + "1" + repeated(" end", 3000), script.Syntax},
		"ifs":                          {repeated("if x then ", 4000) + repeated(" end", 4000), script.Syntax},
		"else ifs":                     {repeated("if x then else ", 4000) + repeated(" end", 4000), script.Syntax},
		"dos":                          {repeated("do ", 10000) + repeated("end ", 10000), script.Syntax},
		"repeats":                      {repeated("repeat ", 3000) + repeated("until x ", 3000), script.Syntax},
		"open brackets":                {repeated("(", 60000), script.Syntax},
		"fields of fields":             {"x = a" + repeated(".b", 30000), script.Syntax},
		"calls of calls":               {"x = a" + repeated("()", 30000), script.Syntax},
		"calls with strings":           {"x = a" + repeated("'s'", 20000), script.Syntax},
		"calls with tables":            {"x = a" + repeated("{}", 30000), script.Syntax},
		"methods of methods":           {"x = a" + repeated(":b()", 15000), script.Syntax},
		"concatenations":               {"x = a" + repeated("..a", 20000), script.Syntax},
		"powers":                       {"x = 1" + repeated("^1", 30000), script.Syntax},
		"sums":                         {"x = 1" + repeated("+1", 30000), script.Syntax},
		"ands":                         {"x = a" + repeated(" and a", 10000), script.Syntax},
		"comparisons":                  {"x = 1" + repeated("<1", 30000), script.Syntax},
		"elseifs":                      {"if x then " + repeated("elseif x then ", 4000) + "end", harmless},
		"a hundred concatenations":     {"local a = 'x' return a" + repeated("..a", 900), harmless},
		"a hundred ors":                {"local a return a" + repeated(" or a", 900), harmless},
		"brackets in strings":          {"return '" + repeated("(", 30000) + "', [[" + repeated("{", 20000) + "]] -- " + repeated("(", 5000), harmless},
		"brackets in comments":         {"--[==[" + repeated("((((", 10000) + "]==] return 1", harmless},
		"constants":                    {"local t = {" + repeated("'k',", 15000) + "} return #t", harmless},
		"distinct constants":           {constants(8000), harmless},
		"names":                        {repeated("x=1 ", 15000), harmless},
		"statements":                   {repeated(";", 60000), harmless},
		"arguments":                    {"return select('#'" + repeated(",1", 30000) + ")", harmless},
		"parameters":                   {"function f(" + repeated("a,", 300) + "b) end", script.Syntax},
		"targets":                      {repeated("a,", 20000) + "b = 1", harmless},
		"open string":                  {"x = '" + repeated("x", 60000), script.Syntax},
		"escapes":                      {"return '" + repeated("\\255", 15000) + "'", harmless},
		"zero bytes":                   {"return '\x00' .. '" + repeated("\x00", 100) + "'", harmless},
		"binary":                       {repeated("\xff\xfe\x1bLua", 1000), script.Syntax},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			params := map[string]any{"list": []any{map[string]any{"a": strings.Repeat("x", 2000)}, map[string]any{"b": int64(1)}}}
			for range 200 {
				params["k"+strings.Repeat("k", len(params))] = map[string]any{"v": "some text of a value"}
			}
			a := ask(t, test.source, script.Call{Params: params})
			if test.want == harmless {
				if a.err != nil {
					t.Errorf("got %v, want no error", a.err)
				}
				return
			}
			if a.err == nil {
				t.Fatalf("got no error and %d results, want %s", len(a.results), test.want)
			}
			e := scriptError(t, a.err)
			met := e.Code == script.Gas || e.Code == script.Memory || e.Code == script.Depth
			if e.Code != test.want && (test.want != limited || !met) {
				t.Errorf("got %s %s, want %s", e.Code, clip(e.Error()), test.want)
			}
		})
	}
}

func constants(n int) string {
	var b strings.Builder
	b.WriteString("local t = {")
	for i := range n {
		b.WriteString("'" + strings.Repeat("k", i%3) + string(rune('a'+i%26)) + "',")
	}
	return b.String() + "} return #t"
}

func TestLimitsOfACall(t *testing.T) {
	tests := map[string]struct {
		source string
		limits script.Limits
		want   script.Code
	}{
		"gas":     {`for i = 1, 1000 do end`, script.Limits{Gas: 100}, script.Gas},
		"memory":  {`local t = {{}, {}, {}}`, script.Limits{Memory: 300}, script.Memory},
		"depth":   {`local function f(n) if n > 0 then f(n - 1) end end f(5)`, script.Limits{Depth: 5}, script.Depth},
		"string":  {`return string.rep("x", 11)`, script.Limits{String: 10}, script.Memory},
		"nesting": {`return {{{}}}`, script.Limits{Nesting: 2}, script.Result},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if a := ask(t, test.source, script.Call{}); a.err != nil {
				t.Errorf("with the default limits: %v", a.err)
			}
			a := ask(t, test.source, script.Call{Limits: test.limits})
			if a.err == nil {
				t.Fatalf("got no error, want %s", test.want)
			}
			if e := scriptError(t, a.err); e.Code != test.want {
				t.Errorf("got %s %s, want %s", e.Code, e, test.want)
			}
		})
	}
	if _, err := Compile(Source{File: "x", Text: strings.Repeat(" ", 101)}, script.Limits{Source: 100}); err == nil {
		t.Error("a source above the limit compiles")
	}
}
