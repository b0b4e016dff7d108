// SPDX-License-Identifier: Apache-2.0

package compat

import "github.com/dragoman-io/dragoman/engine/script"

// place is a place in a result at which, or below which, empty maps or lists stand. The
// items of a list share its place. A nil place has none.
type place struct {
	fields map[string]*place
	// isMap and isList report whether the references have an empty map or list here.
	isMap, isList bool
}

// What a place takes, and its first and each field.
const (
	placeBytes      = 64
	firstFieldBytes = 320
	fieldBytes      = 64
	// fieldSteps is what a further field takes: up to a microsecond in a map of many.
	fieldSteps = 40
)

// placesOf returns the places of the empty maps and lists of a result, with what the
// references have there. The work is that of walking the result, and the references as
// far as they have the same places.
func placesOf(v any, references []any, tally *script.Tally) (*place, error) {
	b := builder{tally}
	root, err := b.add(nil, v)
	for _, r := range references {
		if err == nil {
			err = b.mark(root, r)
		}
	}
	return root, err
}

// builder finds places, and pays for them.
type builder struct{ *script.Tally }

// add returns p, made where it is nil, with the empty ones at v and below added; p
// itself where there are none.
func (b builder) add(p *place, v any) (*place, error) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			return b.made(p)
		}
		return b.addFields(p, x)
	case []any:
		if len(x) == 0 {
			return b.made(p)
		}
		if err := b.Add(int64(len(x)), 0); err != nil {
			return nil, err
		}
		for _, e := range x {
			var err error
			if p, err = b.add(p, e); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func (b builder) addFields(p *place, x map[string]any) (*place, error) {
	if err := b.Add(int64(len(x)), 0); err != nil {
		return nil, err
	}
	for key, e := range x {
		if !isComposite(e) {
			continue
		}
		if err := b.Text(len(key)); err != nil {
			return nil, err
		}
		var known *place
		if p != nil {
			known = p.fields[key]
		}
		below, err := b.add(known, e)
		if err != nil {
			return nil, err
		}
		if below == known {
			continue
		}
		if p, err = b.put(p, key, below); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// put returns p, made where it is nil, with a place under a key.
func (b builder) put(p *place, key string, below *place) (*place, error) {
	p, err := b.made(p)
	if err == nil {
		err = b.Text(len(key))
	}
	switch {
	case err != nil:
	case p.fields == nil:
		p.fields = map[string]*place{}
		err = b.Add(20, firstFieldBytes+fieldBytes)
	default:
		err = b.Add(fieldSteps, fieldBytes)
	}
	if err != nil {
		return nil, err
	}
	p.fields[key] = below
	return p, nil
}

// made returns p, made where it is nil.
func (b builder) made(p *place) (*place, error) {
	if p != nil {
		return p, nil
	}
	err := b.Add(4, placeBytes)
	return &place{}, err
}

// mark notes what a reference has at a place and below.
func (b builder) mark(p *place, v any) error {
	if p == nil {
		return nil
	}
	switch x := v.(type) {
	case map[string]any:
		p.isMap = p.isMap || len(x) == 0
		return b.markFields(p, x)
	case []any:
		p.isList = p.isList || len(x) == 0
		if err := b.Add(int64(len(x)), 0); err != nil {
			return err
		}
		for _, e := range x {
			if err := b.mark(p, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// markFields goes over the fewer ones of the fields of a reference and those of the place.
func (b builder) markFields(p *place, x map[string]any) error {
	if err := b.Add(int64(min(len(x), len(p.fields))), 0); err != nil {
		return err
	}
	if len(x) <= len(p.fields) {
		for key, e := range x {
			below, err := p.under(key, e, b.Tally)
			if err == nil {
				err = b.mark(below, e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	for key, below := range p.fields {
		if err := b.Text(len(key)); err != nil {
			return err
		}
		if err := b.mark(below, x[key]); err != nil {
			return err
		}
	}
	return nil
}

// under returns the place of the value v under a key, nil where there is none.
func (p *place) under(key string, v any, tally *script.Tally) (*place, error) {
	if p == nil || p.fields == nil {
		return nil, nil
	}
	if isComposite(v) {
		return p.fields[key], tally.Text(len(key))
	}
	return nil, nil
}

// isComposite reports whether v is a map or a list.
func isComposite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// mended returns what an empty map or list becomes, and whether that is another value.
func (p *place) mended(v any) (any, bool, error) {
	_, isMap := v.(map[string]any)
	switch {
	case p.isMap && isMap, !p.isMap && p.isList && !isMap:
		return v, false, nil
	case p.isMap:
		return map[string]any{}, true, nil
	case p.isList:
		return []any{}, true, nil
	}
	return dropped{}, true, nil
}
