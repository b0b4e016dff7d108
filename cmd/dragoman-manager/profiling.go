// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/spf13/pflag"

// profiling is where profiles of this process are served. Names and defaults of its flags
// are those of the published control plane.
type profiling struct {
	enabled bool
	address string
}

func (p *profiling) addFlags(s *pflag.FlagSet) {
	s.BoolVar(&p.enabled, "enable-pprof", false, "serve profiles of this process under /debug/pprof/; they show what is in its memory, so let nobody else reach the address")
	s.StringVar(&p.address, "profiling-bind-address", ":6060", "address of the profiles, if they are served")
}

// bind returns the address to serve on; 0 is none.
func (p *profiling) bind() string {
	if !p.enabled {
		return "0"
	}
	return p.address
}
