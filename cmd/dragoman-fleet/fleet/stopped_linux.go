// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitStopped waits until all threads of a child are stopped, or it has ended: the signal that
// stops it is on its way until then. Who waits for the end of the child still gets that.
func awaitStopped(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
