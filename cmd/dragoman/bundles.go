// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// loadBundles returns the bundle in dir, or where dir is "" those of this program.
func loadBundles(l bundle.Loader, dir string) ([]*bundle.Bundle, error) {
	if dir == "" {
		return l.LoadAll(scripts.FS)
	}
	b, err := l.Load(hostFS{}, dir, nil)
	if err != nil {
		return nil, err
	}
	return []*bundle.Bundle{b}, nil
}

const parameterUsage = "value of a bundle's parameter, as [BUNDLE.]NAME=VALUE; can be repeated"
