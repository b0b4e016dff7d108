// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `goos: linux
pkg: example.com/engine
BenchmarkScripts/flink_health-2         	 1000000	       312.5 ns/op	      96 B/op	       3 allocs/op
BenchmarkScripts/flink_health-2
BenchmarkReload/changed/1000            	     100	   1205310 ns/op	  55 kinds	  2048 B/op	      17 allocs/op
BenchmarkTiny 	1000000000	         0.3002 ns/op
PASS
ok  	example.com/engine	3.2s
`

func TestParse(t *testing.T) {
	want := []benchmark{
		{name: "Scripts/flink_health-2", ns: 312.5, allocs: 3},
		{name: "Reload/changed/1000", ns: 1205310, allocs: 17},
		{name: "Tiny", ns: 0.3002},
	}
	got, err := parse(printed)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(benchmark{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := parse("BenchmarkA 1 many ns/op\n"); err == nil {
		t.Error("a time that is no number: got no error")
	}
}
