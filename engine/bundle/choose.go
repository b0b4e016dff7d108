// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
		return fmt.Errorf("parameter %q: want bundle.name=value", choice)
	}
	of, name, qualified := strings.Cut(key, ".")
	if !qualified {
		name = key
	}
	var names, parameters []string
	found := false
	for i, b := range bundles {
		names = append(names, b.Name)
		for _, p := range b.Parameters {
			parameters = append(parameters, p.Name)
		}
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
	return errors.New(script.Unknown("parameter", name, parameters))
}
