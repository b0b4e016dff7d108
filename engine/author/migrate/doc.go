// SPDX-License-Identifier: Apache-2.0

// Package migrate turns ResourceInterpreterCustomizations into a bundle, and a bundle into
// customizations, so that the answers stay the same.
//
// Bundle writes the scripts of customizations as the files of a bundle, and Customizations the scripts
// of a bundle, with the modules and parameters that they need, as customizations. What the other form
// cannot say is an error that names it. The two forms also differ in what no text shows: scripts of a
// customization see numbers as floats, and empty maps and lists of their answers are repaired or dropped.
// So both ask all cases that they are given before and after, and an answer that is not the same is an
// error too.
//
// In go objects, bundles and cases; out come texts. The package writes no file.
package migrate
