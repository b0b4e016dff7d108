// SPDX-License-Identifier: Apache-2.0

package lua

import "testing"

func TestPricesOfNumbers(t *testing.T) {
	prices(t, map[string]any{"digits": "1.7976931348623159e308"}, map[string]price{
		"text near zero":           {`tonumber("5e-324")`, 100},
		"text near the largest":    {`tonumber(params.digits)`, 100},
		"text near the largest, +": {`local x = "1.7976931348623159E+308" + 0`, 100},
	})
	list := make([]any, 800)
	for i := range list {
		list[i] = int64(i)
	}
	prices(t, map[string]any{"list": list}, map[string]price{
		"a sort that fails at once": {`pcall(table.sort, params.list, error)`, 100},
	})
}
