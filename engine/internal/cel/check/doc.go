// SPDX-License-Identifier: Apache-2.0

// Package check finds the types of an expression and the overloads of its calls, as the
// checker of cel-go does. That one copies all type variables of the
// expression for each comparison of two types and writes types as text to look them up, so
// that 18 KB of []+[] take it a minute. Here a comparison that fails is undone, and nothing
// is copied. Each comparison of a part of a type is a step; an expression that needs more
// steps than it may is refused, whatever it consists of.
package check
