// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// No port is one that the system gives to a connection: such a one may be used by the time that a
// component wants it, or wants it again.
func TestFreePortIsNoneOfConnections(t *testing.T) {
	var first, last int
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Skip("the range of the ports of connections cannot be read here:", err)
	}
	if _, err := fmt.Sscan(string(text), &first, &last); err != nil {
		t.Fatal(err)
	}
	if first <= lastPort && last >= firstPort {
		t.Skipf("connections of this machine have the ports from %d to %d", first, last)
	}
	for range 100 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if port >= first && port <= last {
			t.Errorf("FreePort returned %d, a port of connections", port)
		}
	}
}

func TestFreePortIsFree(t *testing.T) {
	for range 20 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}
