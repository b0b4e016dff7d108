// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// checkAmount compares the short way of reading a quantity with the one of
// Kubernetes.
func checkAmount(t *testing.T, v any) {
	t.Helper()
	q, wrong := parseQuantity(v)
	milli, err := milli(v)
	if (err == nil) != (wrong == nil) {
		t.Fatalf("%v in thousandths: got error %v, want %v", v, err, wrong)
	}
	one, err := units(v)
	if (err == nil) != (wrong == nil) {
		t.Fatalf("%v in units: got error %v, want %v", v, err, wrong)
	}
	if wrong != nil {
		return
	}
	if one.up != q.Value() {
		t.Errorf("%v in units: got %v, want %d rounded up", v, one, q.Value())
	}
	if q.Sign() > 0 {
		checkOver(t, one, q)
	}
	want := amount{up: q.MilliValue()}
	switch {
	case q.CmpInt64(math.MaxInt64/1000) > 0:
		want.up = math.MaxInt64
	case q.CmpInt64(math.MinInt64/1000) < 0:
		want.up = math.MinInt64
	}
	if milli != want {
		t.Errorf("%v in thousandths: got %v, want %v", v, milli, want)
	}
}

// checkOver checks by how much an amount is larger than the quantity.
func checkOver(t *testing.T, a amount, q resource.Quantity) {
	t.Helper()
	q.RoundUp(resource.Milli)
	want, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok {
		t.Fatalf("%s is no number", q.AsDec())
	}
	got := new(big.Rat).Sub(new(big.Rat).SetInt64(a.up), big.NewRat(a.over, 1000))
	if got.Cmp(want) != 0 || a.over < 0 || a.over >= 1000 {
		t.Errorf("%s: got %v, which is %s, want %s", q.String(), a, got, want)
	}
}

// suffixes are all that quantities have, and some that they do not have.
func suffixes() []string {
	return []string{
		"", "n", "u", "m", "k", "K", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "ki", "e3", "E3", "e-3", ".", ".5", ".5Gi", ".001m", " ", "mi", "x",
	}
}

func TestAmountsAreThoseOfKubernetes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, suffix := range suffixes() {
		checkAmount(t, suffix)
		for _, number := range []string{"0", "00", "1", "007", "999", "1000", "1001", "-1", "+2", "9223372036854775807", "999999999999999999", "9999999999999999999"} {
			checkAmount(t, number+suffix)
		}
		for range 300 {
			checkAmount(t, strconv.FormatUint(random.Uint64()>>random.UintN(64), 10)+suffix)
		}
	}
	for _, v := range []any{nil, int64(0), int64(7), int64(-7), int64(math.MaxInt64), int64(math.MinInt64), 0.5, 2.0, -2.0, 1e18, 1e-9, math.Inf(1), math.NaN(), true, []any{}} {
		checkAmount(t, v)
	}
}

func FuzzAmount(f *testing.F) {
	for _, s := range suffixes() {
		f.Add("12" + s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkAmount(t, s) })
}

// checkText compares how an amount is written with what Kubernetes writes.
func checkText(t *testing.T, n int64) {
	t.Helper()
	for _, test := range []struct {
		got  []byte
		want *resource.Quantity
	}{
		{binary(nil, n), resource.NewQuantity(n, resource.BinarySI)},
		{decimalUnits(nil, n), resource.NewQuantity(n, resource.DecimalSI)},
		{decimal(nil, max(n, 1)), resource.NewMilliQuantity(max(n, 1), resource.DecimalSI)},
	} {
		if want := test.want.String(); string(test.got) != want {
			t.Errorf("%d: got %s, want %s", n, test.got, want)
		}
	}
}

func TestAmountsAreWrittenAsKubernetesDoes(t *testing.T) {
	for _, n := range []int64{0, 1, 999, 1000, 1023, 1024, 1025, 1536, 1e6, 1e15, 1e18, 9e18, math.MaxInt64} {
		checkText(t, n)
	}
	for power := range 62 {
		checkText(t, 1<<power)
		checkText(t, 1<<power+1)
		checkText(t, 1<<power-1)
		checkText(t, 3<<min(power, 60))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		n := random.Int64() >> random.UintN(63)
		checkText(t, n)
		checkText(t, n/1000*1000)
		checkText(t, n/1024*1024)
	}
}

func FuzzAmountText(f *testing.F) {
	f.Add(int64(1500))
	f.Add(int64(1 << 40))
	f.Fuzz(func(t *testing.T, n int64) {
		if n >= 0 {
			checkText(t, n)
		}
	})
}

func TestManyResources(t *testing.T) {
	asked, want := object("cpu", "1"), object("cpu", "2")
	for i := range 40 {
		name := "example.com/" + strconv.Itoa(i)
		asked[name], want[name] = strconv.Itoa(i+1), strconv.Itoa(2*i+2)
	}
	examples(t, "accuratePodRequirements", map[string]example{
		"each is found": {args: template(object("containers", []any{container(asked, nil), container(nil, asked)})), want: needs(want)},
		"huge cpu":      {args: template(object("containers", []any{container(object("cpu", "9E"), nil)})), want: needs(object("cpu", "9223372036854775807m"))},
	})
}

// TestReadyTexts compares the texts that are made once with those that are made for each.
func TestReadyTexts(t *testing.T) {
	ready := newReadyTexts()
	for _, unit := range []int64{1, 1 << 10, 1 << 20, 1 << 30, 1 << 40} {
		for n := range int64(2 * fewUnits) {
			if got, want := ready.binary(n*unit), string(binary(nil, n*unit)); got != want {
				t.Errorf("%d bytes are %v, want %s", n*unit, got, want)
			}
		}
	}
}
