// SPDX-License-Identifier: Apache-2.0

package client

import "testing"

func TestServiceAddress(t *testing.T) {
	for want, o := range map[string]Options{
		"dns:///karmada-scheduler-estimator-member1.karmada-system.svc:10352": {},
		"dns:///estimator-member1.fleet.svc:1":                                {Prefix: "estimator-", Namespace: "fleet", Port: 1},
	} {
		if got := o.complete().target("member1"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
