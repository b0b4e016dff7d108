// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
)

// portAttempts is how often a component is started with other ports before the
// start of the fleet fails.
const portAttempts = 5

// FreePort chooses from firstPort to lastPort. They are below the ports that Linux gives to
// connections (from 32768 on, or 49152 elsewhere): a component that is away, as between Cut and
// Restore, would otherwise find its port used by a connection of somebody else.
const (
	firstPort = 15000
	lastPort  = 29999
)

// FreePort returns a TCP port of 127.0.0.1 that nobody listens on now. Someone
// may take it before it is used; a fleet tries again with another one then.
func FreePort() (int, error) {
	var err error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
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
