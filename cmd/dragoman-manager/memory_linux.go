// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// memorySources are what limits the memory of this process: its control groups, which is
// where the limit of a container is, and ulimit -d and -v.
func memorySources() []source {
	return []source{
		{"cgroup", ofCgroup},
		{"RLIMIT_DATA", func() (int64, error) { return ofResource(syscall.RLIMIT_DATA) }},
		{"RLIMIT_AS", ofAddresses},
	}
}

// ofCgroup returns the limit of the control groups of this process.
func ofCgroup() (int64, error) {
	limit, err := memlimit.FromCgroup()
	if errors.Is(err, memlimit.ErrNoCgroup) || errors.Is(err, memlimit.ErrCgroupsNotSupported) || limit > math.MaxInt64 {
		return 0, memlimit.ErrNoLimit
	}
	return int64(limit), err
}

// ofResource returns a limit of setrlimit.
func ofResource(resource int) (int64, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil {
		return 0, err
	}
	if limit.Cur > math.MaxInt64 { // unlimited
		return 0, memlimit.ErrNoLimit
	}
	return int64(limit.Cur), nil
}

// ofAddresses returns how much of the limit of addresses is left. A Go program reserves
// more than a gigabyte of them when it starts, and does not use it.
func ofAddresses() (int64, error) {
	limit, err := ofResource(syscall.RLIMIT_AS)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), " ")
	pages, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read /proc/self/statm: %w", err)
	}
	return max(limit-pages*int64(os.Getpagesize()), 1), nil
}
