// SPDX-License-Identifier: Apache-2.0

// element makes an element with properties and children.
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
