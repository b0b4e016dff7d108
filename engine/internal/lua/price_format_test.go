// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"strings"
	"testing"

	"github.com/dragoman-io/dragoman/engine/script"
)

func TestPricesOfFormats(t *testing.T) {
	prices(t, map[string]any{"percents": strings.Repeat("%%", 1000)}, map[string]price{
		"directives":                   {`string.format(params.percents)`, 990},
		"digits of the smallest float": {`string.format("%.18e", 5e-324)`, 60},
		"digits of a large float":      {`string.format("%f", 1e308)`, 60},
		"99 digits of a large float":   {`string.format("%.99g", 1e308)`, 60},
	})
	prices(t, map[string]any{"days": strings.Repeat("%w", 1000)}, map[string]price{
		"conversions of a date": {`os.date(params.days)`, 990},
	})
	ordinary := ask(t, `return string.format("%.2f %.17g %d %s", 12.5, 1e300, 1, "x")`, script.Call{}).usage.Gas
	plain := ask(t, `return string.format("%s %s %s %s", 12.5, 1e300, 1, "x")`, script.Call{}).usage.Gas
	if ordinary != plain {
		t.Errorf("ordinary floats cost %d units of gas, text %d", ordinary, plain)
	}
}
