// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

// memorySources returns nothing: only on Linux it is known what limits a process.
func memorySources() []source { return nil }
