// SPDX-License-Identifier: Apache-2.0

package execution

import "regexp"

// connection finds the own end of a connection, as in "read tcp 10.0.0.1:4711->10.0.0.2:443: reset": its
// port is another at each try.
var connection = regexp.MustCompile(`(\d{1,3}(\.\d{1,3}){3}|\[[^\]\s]+\]):\d+->`)

// withoutPorts returns an error whose text has no port that is another at each try, so that what fails
// again for the same cause is said once. A member's API server quotes such errors of its webhooks.
func withoutPorts(err error) error {
	if err == nil || !connection.MatchString(err.Error()) {
		return err
	}
	return &quietError{err}
}

// quietError is an error without the own ends of connections.
type quietError struct{ error }

func (e *quietError) Error() string { return connection.ReplaceAllString(e.error.Error(), "") }

func (e *quietError) Unwrap() error { return e.error }
