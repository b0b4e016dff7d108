// SPDX-License-Identifier: Apache-2.0

package e2e

import "fmt"

// placing is a policy that has the name of the one object that it selects, with a placement
// in flow style.
func placing(apiVersion, kind, name, placement string) string {
	return fmt.Sprintf(`
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: %[3]s
spec:
  resourceSelectors:
    - apiVersion: %[1]s
      kind: %[2]s
      name: %[3]s
  placement: %[4]s
`, apiVersion, kind, name, placement)
}

// duplicated has nginx go to all members.
var duplicated = placing("apps/v1", "Deployment", "nginx", "{}")

// toMember1 is a placement in one member.
const toMember1 = "{clusterAffinity: {clusterNames: [member1]}}"
