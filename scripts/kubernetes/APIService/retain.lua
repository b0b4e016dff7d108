local ca = require("lib.ca")

function Retain(desired, observed)
  return ca.retainAt(desired, observed, "spec")
end
