// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/spf13/pflag"
)

func TestProfiling(t *testing.T) {
	for _, tc := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"profiles show what is in the memory", nil, "0"},
		{"an address alone serves nothing", []string{"--profiling-bind-address=:1"}, "0"},
		{"the default is the published one", []string{"--enable-pprof"}, ":6060"},
		{"the address can be chosen", []string{"--enable-pprof", "--profiling-bind-address=127.0.0.1:1"}, "127.0.0.1:1"},
	} {
		p, s := profiling{}, pflag.NewFlagSet("", pflag.ContinueOnError)
		p.addFlags(s)
		if err := s.Parse(tc.args); err != nil {
			t.Fatal(err)
		}
		if got := p.bind(); got != tc.want {
			t.Errorf("%s: %v serves on %q, want %q", tc.reason, tc.args, got, tc.want)
		}
	}
}
