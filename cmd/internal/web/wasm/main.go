// SPDX-License-Identifier: Apache-2.0

//go:build js && wasm

// Command wasm is the engine of the playground as a program for the browser. It sets the function
// dragomanRespond(name, request), which answers as Playground.Respond does: {response} or {error}.
package main

import (
	"fmt"
	"syscall/js"

	"github.com/dragoman-io/dragoman/engine/author/playground"
	"github.com/dragoman-io/dragoman/scripts"
)

func main() {
	p, err := playground.New(scripts.FS)
	js.Global().Set("dragomanRespond", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if err != nil {
			return failed(err)
		}
		return respond(p, args)
	}))
	js.Global().Call("dragomanReady")
	select {} // the function is called for as long as the page is open
}

// respond answers one call.
func respond(p *playground.Playground, args []js.Value) (result any) {
	defer func() {
		if bug := recover(); bug != nil {
			result = failed(fmt.Errorf("a defect of the engine: %v", bug))
		}
	}()
	if len(args) != 2 {
		return failed(fmt.Errorf("want two arguments, got %d", len(args)))
	}
	response, err := p.Respond(args[0].String(), []byte(args[1].String()))
	if err != nil {
		return failed(err)
	}
	return js.ValueOf(map[string]any{"response": string(response)})
}

// failed returns an error as a result.
func failed(err error) any { return js.ValueOf(map[string]any{"error": err.Error()}) }
