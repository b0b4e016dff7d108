// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"fmt"
	"math"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
)

// OperationsWith lists the operations with a parameter of a kind, for the help of its flag.
func OperationsWith(kind engine.ParamKind) string {
	var names []string
	for _, op := range engine.Operations() {
		if op.Takes(kind) {
			names = append(names, string(op.Name))
		}
	}
	return strings.Join(names, " and ")
}

// CheckReplicas returns an error for a number of replicas that is given and cannot be.
func CheckReplicas(given bool, replicas int64) error {
	if given && (replicas < 0 || replicas > math.MaxInt32) {
		return fmt.Errorf("replicas %d: want a number from 0 to %d", replicas, math.MaxInt32)
	}
	return nil
}
