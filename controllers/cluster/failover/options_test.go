// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"testing"
)

func TestValidateOptions(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	for want, change := range map[string]func(*Options){
		`--no-execute-taint-eviction-purge-mode is "Never"; use Gracefully or Directly`:              func(o *Options) { o.PurgeMode = "Never" },
		"--resource-eviction-rate is -1; use evictions a second, such as 0.5, or 0 for none":         func(o *Options) { o.Rate = -1 },
		"--resource-eviction-rate is 1e-10; use evictions a second, such as 0.5, or 0 for none":      func(o *Options) { o.Rate = 1e-10 },
		"--unhealthy-cluster-threshold is 55; use a share of all clusters from 0 to 1, such as 0.55": func(o *Options) { o.UnhealthyShare = 55 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
