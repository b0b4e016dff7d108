// SPDX-License-Identifier: Apache-2.0

// Package jsonpath evaluates the JSONPath templates of users inside a budget. The
// templates are those of kubectl and are parsed by its parser; a value is what
// encoding/json reads. What a template answers is what client-go's evaluation answers
// (the tests compare the two), but for what has no order there: the values of a map come
// in the order of their keys.
//
// A template of 17 characters can name more values than memory holds, since each ".."
// names every part below every part: so each value that is looked at is paid for, and
// nothing is written past the bound of the output.
package jsonpath
