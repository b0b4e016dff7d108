local progress = require("lib.progress")

function Retain(desired, observed)
  return progress.retain(desired, observed)
end
