// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
)

// clusterFile is the CRD of Clusters. In the published control plane an API server of its own serves
// them, which has no schema for conditions, and controllers of others write them without a reason.
const clusterFile = "cluster.karmada.io_clusters.yaml"

// loosened are the texts of a condition as they are generated, and as they are for Clusters.
var loosened = [][2]string{
	{`                      format: date-time
                      type: string
                    message:
`, `                      format: date-time
                      nullable: true
                      type: string
                    message:
`},
	{`                        The value should be a CamelCase string.
                        This field may not be empty.
                      maxLength: 1024
                      minLength: 1
                      pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
                      type: string
`, `                        The value should be a CamelCase string.
                      maxLength: 1024
                      type: string
`},
	{`                  required:
                  - lastTransitionTime
                  - message
                  - reason
                  - status
                  - type
`, `                  required:
                  - status
                  - type
`},
}

// loosen returns the CRD of Clusters with conditions that need but a type and a status.
func loosen(text []byte) ([]byte, error) {
	for _, change := range loosened {
		is, wanted := []byte(change[0]), []byte(change[1])
		switch {
		case bytes.Count(text, is) == 1:
			text = bytes.Replace(text, is, wanted, 1)
		case bytes.Count(text, wanted) != 1:
			return nil, fmt.Errorf("controller-gen writes conditions in another form now, without:\n%s", is)
		}
	}
	return text, nil
}
