// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxRequest is how long a request may be, in bytes.
const MaxRequest = 1 << 20

// Respond answers a request of a page, both as JSON: "catalog" takes nothing and returns a
// Catalog, "sample" takes a SampleRequest and returns a Sample, "modules" takes a
// ModulesRequest and returns a list of Module, "evaluate" takes an Input and
// returns an Answer. The error is about the request.
func (p *Playground) Respond(name string, request []byte) ([]byte, error) {
	if len(request) > MaxRequest {
		return nil, fmt.Errorf("the texts have more than %d KiB together; make them shorter", MaxRequest>>10)
	}
	switch name {
	case "catalog":
		return respond(request, func(struct{}) (Catalog, error) { return p.Catalog() })
	case "sample":
		return respond(request, p.Sample)
	case "modules":
		return respond(request, p.Modules)
	case "evaluate":
		return respond(request, func(in Input) (Answer, error) { return p.Evaluate(in), nil })
	}
	return nil, fmt.Errorf("there is no request %q", name)
}

// respond decodes a request and encodes what answers it.
func respond[In, Out any](request []byte, answer func(In) (Out, error)) ([]byte, error) {
	var in In
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	out, err := answer(in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
