// SPDX-License-Identifier: Apache-2.0

// Command differential compares the engine's Lua with the Lua 5.1.5 of a Debian package.
// It generates programs from a grammar, runs each in both, and sorts each line of output
// that differs into a group that has a reason. A difference that is in no group is
// printed with its source, and the command fails.
//
//	differential -programs 5000 -seed 1   what make differential runs
//	differential -record 300              writes the programs that go test runs
//
// It needs the command lua5.1 (Debian and Ubuntu: apt-get install lua5.1). The tests of
// the package do not: they run recorded programs and compare with recorded output.
package main
