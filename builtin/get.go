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
		Params:  []Param{{Name: "object", Type: "map", Optional: true}, {Name: "path", Type: "any"}, {Name: "default", Type: "any", Optional: true}},
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
	switch keys := keys.(type) {
	case string:
		for rest, more := keys, true; more; {
			var key string
			key, rest, more = strings.Cut(rest, ".")
			p.step(key)
		}
		return nil
	case []any:
		for _, key := range keys {
			if err := p.stepTo(key); err != nil {
				return err
			}
		}
		return nil
	case Node:
		for i := range keys.Len() {
			if err := p.stepTo(keys.At(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a path must be a string or a list of keys, not a %s", typeName(keys))
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
