// SPDX-License-Identifier: Apache-2.0

// Package reference is what scripts can call and define, for people, editors and other tools. It is read from
// the tables that the engine uses; in go objects, of which CRDs count, and out come texts:
//
//   - Functions and Operations (reference.go) are the pages about kube and about operations, as text
//     (text.go), JSON (json.go), and definitions of Lua (lua.go) and CEL (cel.go);
//   - LuaTypes (types.go, types_class.go) are files for the Lua language server, with a class for each kind of CRDs;
//   - LuaSymbols and CELSymbols (symbols.go), LuaFunctions and CELCalls (library.go) are what can be called.
//
// It runs nothing.
package reference
