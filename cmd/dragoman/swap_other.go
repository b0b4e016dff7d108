// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "errors"

// swap returns an error: only Linux exchanges two paths at once.
func swap(string, string) error { return errors.ErrUnsupported }
