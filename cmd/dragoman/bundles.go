package main

import (
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// loadBundles gives the bundle in dir, or where dir is "" those of this program.
func loadBundles(c *engine.Compiler, dir string) ([]*bundle.Bundle, error) {
	if dir == "" {
		return bundle.LoadAll(scripts.FS, c)
	}
	b, err := bundle.Load(hostFS{}, dir, c, nil)
	if err != nil {
		return nil, err
	}
	return []*bundle.Bundle{b}, nil
}

const parameterUsage = "value of a bundle's parameter, as [BUNDLE.]NAME=VALUE; can be repeated"
