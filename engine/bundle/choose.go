// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Choose returns the bundles with other values for some parameters. A choice is
// bundle.name=value; without the bundle it goes to each bundle that has a parameter
// of that name. The order stays.
func Choose(bundles []*Bundle, choices []string) ([]*Bundle, error) {
	chosen := slices.Clone(bundles)
	var errs []error
	for _, choice := range choices {
		errs = append(errs, choose(chosen, choice))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return chosen, nil
}

func choose(bundles []*Bundle, choice string) error {
	key, value, ok := strings.Cut(choice, "=")
	if !ok || key == "" {
		return fmt.Errorf("parameter %q: want [BUNDLE.]NAME=VALUE", choice)
	}
	of, name, qualified := strings.Cut(key, ".")
	if !qualified {
		name = key
	}
	var names []string
	found := false
	for i, b := range bundles {
		names = append(names, b.Name)
		_, has := b.parameter(name)
		if qualified && b.Name != of || !qualified && !has {
			continue
		}
		found = true
		with, err := b.With(map[string]string{name: value})
		if err != nil {
			return err
		}
		bundles[i] = with
	}
	switch {
	case found:
		return nil
	case qualified:
		return errors.New(script.Unknown("bundle", of, names))
	}
	return errors.New(unknownParameter(bundles, name))
}

// unknownParameter is the message for a parameter that no bundle has: those of the name that
// was probably meant, or all, each with its bundle.
func unknownParameter(bundles []*Bundle, name string) string {
	var names, all []string
	for _, b := range bundles {
		for _, p := range b.Parameters {
			names = append(names, p.Name)
			all = append(all, b.Name+"."+p.Name)
		}
	}
	message := "there is no parameter " + strconv.Quote(diag.Clip(name)) + "; "
	near := script.Nearest(name, names)
	if near == "" {
		return message + "known are " + script.List(all)
	}
	meant := slices.DeleteFunc(all, func(p string) bool { return !strings.HasSuffix(p, "."+near) })
	return message + "did you mean " + script.List(meant) + "?"
}
