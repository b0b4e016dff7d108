// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// library judges objects by one word.
type library struct {
	name string
	// judge returns the word; "" where the library has no rule for the kind.
	judge func(*unstructured.Unstructured) string
	// ready, waiting, failed and paused are what its words mean. A library that knows no pause has "".
	ready, waiting, failed, paused string
}

// libraries returns those that are asked. Of Argo CD's rules these are the ones in Lua, or all of them
// where the environment names a program that has them.
func libraries(t *testing.T) []library {
	t.Helper()
	argo := (&argocd{}).judge
	if program := os.Getenv(programVariable); program != "" {
		argo = start(t, program).judge
	}
	return []library{
		{
			name: "kstatus", judge: kstatus,
			ready: string(status.CurrentStatus), waiting: string(status.InProgressStatus), failed: string(status.FailedStatus),
		},
		{name: "Argo CD", judge: argo, ready: "Healthy", waiting: "Progressing", failed: "Degraded", paused: "Suspended"},
	}
}

// accepts reports whether a library may say got of a template whose members it calls a and b, and returns
// what it should say.
func (l library) accepts(a, b, got string) (want string, ok bool) {
	either := func(word string) bool { return a == word || b == word }
	switch {
	case a == b:
		return a, got == a || a == unknown && got == l.waiting
	case either(l.failed):
		return "not " + l.ready, got != l.ready && got != unjudged
	case either(l.ready) && either(l.paused):
		return l.ready + " or " + l.paused, got == l.ready || got == l.paused
	case either(l.ready):
		return l.waiting, got == l.waiting || got != l.ready && either(got)
	default:
		return "not " + l.ready, got != l.ready && got != unjudged
	}
}

// unknown is what Argo CD says of an object with a status that it cannot read.
const unknown = "Unknown"

// unjudged is the word for an object that a library cannot judge.
const unjudged = "error"

// kstatus judges by the library of Flux and Helm.
func kstatus(o *unstructured.Unstructured) string {
	result, err := status.Compute(o)
	if err != nil {
		return unjudged
	}
	return string(result.Status)
}

// argocd judges by the rules in Lua that Argo CD has built in. Its rules in Go are in a program, since
// they need other versions of Kubernetes' libraries than Dragoman has.
type argocd struct {
	scripts map[schema.GroupKind]*lua.FunctionProto
}

func (a *argocd) judge(o *unstructured.Unstructured) string {
	script, err := a.script(o.GroupVersionKind().GroupKind())
	if err != nil {
		return unjudged
	}
	if script == nil {
		return ""
	}
	word, err := run(script, o.Object)
	if err != nil {
		return unjudged
	}
	return word
}

// script returns the compiled rule of a kind, nil where there is none.
func (a *argocd) script(kind schema.GroupKind) (*lua.FunctionProto, error) {
	if script, known := a.scripts[kind]; known {
		return script, nil
	}
	file := path.Join(kind.Group, kind.Kind, "health.lua")
	text, err := fs.ReadFile(resource_customizations.Embedded, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	script, err := compile(file, string(text))
	if err == nil {
		if a.scripts == nil {
			a.scripts = map[schema.GroupKind]*lua.FunctionProto{}
		}
		a.scripts[kind] = script
	}
	return script, err
}

func compile(file, text string) (*lua.FunctionProto, error) {
	chunk, err := parse.Parse(strings.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	return lua.Compile(chunk, file)
}

// run returns the field status of what a rule returns for an object.
func run(script *lua.FunctionProto, object map[string]any) (string, error) {
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", value(state, object))
	state.Push(state.NewFunctionFromProto(script))
	if err := state.PCall(0, 1, nil); err != nil {
		return "", err
	}
	switch answer := state.Get(-1).(type) {
	case *lua.LTable:
		return lua.LVAsString(answer.RawGetString("status")), nil
	case *lua.LNilType:
		return "", nil
	default:
		return "", fmt.Errorf("the rule returned a %s", answer.Type())
	}
}

// value makes a value of Lua of a value of an object.
func value(state *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case map[string]any:
		table := state.CreateTable(0, len(v))
		for key, below := range v {
			table.RawSetString(key, value(state, below))
		}
		return table
	case []any:
		table := state.CreateTable(len(v), 0)
		for _, below := range v {
			table.Append(value(state, below))
		}
		return table
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	default:
		return lua.LNil
	}
}
