local retain = require("lib.retain")

function Retain(desired, observed)
  return retain(desired, observed)
end
