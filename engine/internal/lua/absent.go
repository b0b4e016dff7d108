// SPDX-License-Identifier: Apache-2.0

package lua

// absent stands for a global of standard Lua that a sandbox does not have.
// Reading it is an error that names the reason.
type absent struct {
	name   string
	reason string
}

const (
	noHost   = "scripts cannot reach the host"
	noCode   = "scripts cannot make code at run time"
	plain    = "tables of a script are plain data"
	oneRun   = "each run has globals of its own"
	onePiece = "a script runs in one piece"
	noChance = "a script returns the same answer each time"
	noClock  = "time stands still during a run; os.time returns it"
	noModule = "require returns kube, math, os, string, table, and by a constant name the modules of a bundle"
)

// absentGlobals returns the reason for each missing global.
func absentGlobals() map[string]string {
	return map[string]string{
		"io":             noHost,
		"dofile":         noHost,
		"loadfile":       noHost,
		"load":           noCode,
		"loadstring":     noCode,
		"setmetatable":   plain,
		"getmetatable":   plain,
		"rawget":         plain,
		"rawset":         plain,
		"rawequal":       plain,
		"newproxy":       plain,
		"getfenv":        oneRun,
		"setfenv":        oneRun,
		"_G":             oneRun,
		"coroutine":      onePiece,
		"debug":          "scripts cannot look into the engine",
		"collectgarbage": "the limits of the run bound its memory",
		"module":         noModule,
		"package":        noModule,
	}
}

// absentMembers returns the reason for each missing function of a library.
func absentMembers() map[string]map[string]string {
	return map[string]map[string]string{
		"os": {
			"clock":     noClock,
			"execute":   noHost,
			"exit":      noHost,
			"getenv":    noHost,
			"remove":    noHost,
			"rename":    noHost,
			"setlocale": noHost,
			"tmpname":   noHost,
		},
		"math":   {"random": noChance, "randomseed": noChance},
		"string": {"dump": noCode},
	}
}
