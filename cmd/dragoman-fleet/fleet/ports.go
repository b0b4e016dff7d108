// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net"
	"strings"
)

// portAttempts is how often a component is started with other ports before the
// start of the fleet fails.
const portAttempts = 5

// FreePort returns a TCP port of 127.0.0.1 that nobody listens on now. Someone
// may take it before it is used; a fleet tries again with another one then.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// choosePorts asks choose n times.
func choosePorts(n int, choose func() (int, error)) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		port, err := choose()
		if err != nil {
			return nil, err
		}
		ports[i] = port
	}
	return ports, nil
}

// portTaken reports whether a component ended because its port was in use.
func portTaken(err *exitError) bool {
	return strings.Contains(err.tail, "address already in use")
}
