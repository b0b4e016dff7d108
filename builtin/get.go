// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"strings"
)

// get is kube.get.
func get() Function {
	return checked(Function{
		Name:    "get",
		Params:  []Param{{Name: "object", Type: "map", Optional: true}, {Name: "path", Type: "path", constant: constantPath}, {Name: "default", Type: "any", Optional: true}},
		Result:  "any or nil",
		Doc:     "Reads a field deep inside an object: get(obj, \"status.jobStatus.state\"). Where a part of the path is missing, null or no map, it returns the default. A path is a string with dots between the keys, or a list of keys for keys that hold dots: get(obj, {\"metadata\", \"labels\", \"app.kubernetes.io/name\"}).",
		InPlace: true,
	}, func(args []any, m Meter) (any, error) {
		p := path{at: arg(args, 0), meter: m}
		if err := p.walk(arg(args, 1)); err != nil {
			return nil, err
		}
		m.Charge(1)
		if p.at == nil {
			return arg(args, 2), nil
		}
		return p.at, nil
	})
}

// path is a walk into an object.
type path struct {
	at    any
	meter Meter
}

// walk goes along a path in either form.
func (p *path) walk(keys any) error {
	if text, ok := keys.(string); ok {
		return p.walkText(text)
	}
	n, at := items(keys)
	for i := range n {
		if err := p.stepTo(at(i)); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("path %w", noKeys())
	}
	return nil
}

// walkText goes along a path with dots.
func (p *path) walkText(text string) error {
	for rest, more := text, true; more; {
		var key string
		if key, rest, more = strings.Cut(rest, "."); isWrongKey(key) {
			return fmt.Errorf("path %w", wrongPath(text))
		}
		p.step(key)
	}
	return nil
}

func (p *path) stepTo(key any) error {
	s, ok := key.(string)
	if !ok {
		return fmt.Errorf("a key of a path must be a string, not a %s", typeName(key))
	}
	p.step(s)
	return nil
}

// step goes to the value under key, or to nil.
func (p *path) step(key string) {
	p.meter.Charge(1 + int64(len(key))/64)
	p.at = field(p.at, key)
}

// field reads a field of a map in either form; nil where there is none.
func field(v any, key string) any {
	switch x := v.(type) {
	case map[string]any:
		return x[key]
	case Node:
		return x.Get(key)
	}
	return nil
}
