// SPDX-License-Identifier: Apache-2.0

package playground

import "github.com/dragoman-io/dragoman/engine/author/recording"

// Input is what a person has typed.
type Input struct {
	// Object is the object as YAML, Arguments what operations take beside it: a YAML map with
	// the keys of a case, such as observedObj; "" for none.
	Object    string `json:"object"`
	Arguments string `json:"arguments,omitempty"`
	Script    string `json:"script"`
	// Language is that of Script. It is not read for a file of a bundle, whose name has it.
	Language Language `json:"language,omitempty"`
	// Operation is the operation that an expression answers, by any of its names; "" is
	// InterpretHealth. A chunk answers those whose functions it defines, and a file of a bundle
	// those that the bundle has it answer.
	Operation string `json:"operation,omitempty"`
	// Bundle and File say that Script stands for a file of a bundle, by its path in it; "" for
	// a script that stands alone.
	Bundle string `json:"bundle,omitempty"`
	File   string `json:"file,omitempty"`
	// Files are texts of other files of the bundle, by their paths in it.
	Files map[string]string `json:"files,omitempty"`
	// Trace is the operation whose run is traced, "" for none.
	Trace string `json:"trace,omitempty"`
}

// Language is the language of a script.
type Language string

// The languages of scripts.
const (
	Lua Language = "lua"
	CEL Language = "cel"
)

// Answer is what became of an input. Its lists are never nil.
type Answer struct {
	// Operations are those that were asked, in the order of the documents.
	Operations []Asked `json:"operations"`
	// Problems are what kept operations from being asked, and the errors of those that were.
	Problems []Problem `json:"problems"`
	// Coverage has the script and the modules that it required, where they compile.
	Coverage []Coverage `json:"coverage"`
}

// Asked is an operation that was asked, and what the script answered.
type Asked struct {
	// Operation is its name, Doc a sentence about it.
	Operation string `json:"operation"`
	Doc       string `json:"doc"`
	// YAML and JSON are the results by name, "" where the run failed. Texts that are very long
	// are cut.
	YAML string `json:"yaml,omitempty"`
	JSON string `json:"json,omitempty"`
	// Changes is what the answer changes in the object, as the YAML of a merge patch. It is
	// only there for operations that answer with the object, and "{}" if nothing changes.
	Changes string `json:"changes,omitempty"`
	// Gas and Memory are what the run took, GasLimit how much gas it had.
	Gas      int64 `json:"gas"`
	Memory   int64 `json:"memory"`
	GasLimit int64 `json:"gasLimit"`
	// Printed are the lines that the script printed, the first of them where there are many.
	Printed []string `json:"printed"`
	// Assumed are the arguments that were not given, as lines of YAML.
	Assumed []string `json:"assumed"`
	// Trace is what the run did, the first of its steps where there are many; nil where it was not
	// traced.
	Trace *recording.Trace `json:"trace,omitempty"`
	// Problem is the error of the run, or nil.
	Problem *Problem `json:"problem,omitempty"`
}

// Coverage is which lines of a file the operations ran.
type Coverage struct {
	// File is its name as problems have it.
	File string `json:"file"`
	// Lines can run, Missed did not; both ascend from 1.
	Lines  []int `json:"lines"`
	Missed []int `json:"missed"`
}
