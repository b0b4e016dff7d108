// SPDX-License-Identifier: Apache-2.0

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// loadBundles returns the bundle in dir, or where dir is "" those of this program, with
// the rules for one kind.
func loadBundles(l bundle.Loader, dir string, kind schema.GroupVersionKind) ([]*bundle.Bundle, error) {
	if dir == "" {
		return l.LoadKind(scripts.FS, kind)
	}
	b, err := l.Load(hostFS{}, dir, nil)
	if err != nil {
		return nil, err
	}
	return []*bundle.Bundle{b}, nil
}

const parameterUsage = "value of a bundle's parameter, as [BUNDLE.]NAME=VALUE; can be repeated"
