// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dragoman-io/dragoman/api/division"
)

// share is kube.share.
func share() Function {
	return checked(Function{
		Name:   "share",
		Params: []Param{{Name: "number", Type: "number", Optional: true, want: wantReplicas}, {Name: "division", Type: "map", Optional: true, shape: isDivision}},
		Result: "number or nil",
		Doc:    "Returns the part of a number that one cluster gets where it is divided as replicas are: share(object.spec.completions, division). The division is that of ReviseReplica: cluster, and shares with the name and replicas of each cluster. The parts of all clusters add up to the number, and a cluster with replicas gets at least as many where the number is no less than all replicas. Without a division, and where no cluster has replicas, it is the number itself; of nil it is nil.",
	}, func(args []any, m Meter) (any, error) {
		if arg(args, 0) == nil || arg(args, 1) == nil {
			m.Charge(1)
			return arg(args, 0), nil
		}
		number, ok := whole(args[0])
		if !ok || number < 0 || number > math.MaxInt32 {
			return refused(m, fmt.Errorf("number must be %s, not %s", wantReplicas, shown(args[0])))
		}
		d, err := asMap("division", args[1])
		if err != nil {
			return refused(m, err)
		}
		return shareOf(number, d, m)
	})
}

// shareOf divides a number, and returns the part of the cluster of a division.
func shareOf(number int64, d map[string]any, m Meter) (any, error) {
	shares, err := asList("division.shares", d["shares"])
	if err != nil {
		return refused(m, err)
	}
	// A party is compared with others as often as the heap of all is deep.
	m.Charge(1 + int64(len(shares))*int64(partyGas+bits.Len(uint(len(shares)))))
	parties, divisible := make([]*division.Party, len(shares)), false
	for i, s := range shares {
		if parties[i], err = partyOf(s); err != nil {
			return nil, fmt.Errorf("division.shares: item %d: %w", i+1, err)
		}
		divisible = divisible || parties[i].Weight > 0
	}
	if !divisible {
		return number, nil
	}
	division.Divide(number, parties)
	part := int64(0)
	for i, p := range parties {
		if name := stringAt(shares[i], "name"); name == stringAt(d, "cluster") {
			part += p.Seats
		}
	}
	return part, nil
}

// partyGas is what a party costs beside its comparisons with others.
const partyGas = 16

// partyOf reads one share.
func partyOf(v any) (*division.Party, error) {
	if _, ok := v.(map[string]any); !ok {
		return nil, fmt.Errorf("a share must be a map, not a %s", typeName(v))
	}
	replicas, err := replicasOf(orZero(field(v, "replicas")))
	return &division.Party{Weight: replicas}, err
}

// orZero returns v, or 0 where it is nil: a binding leaves out replicas of 0.
func orZero(v any) any {
	if v == nil {
		return int64(0)
	}
	return v
}
