local retain = require("lib.retain")

function Retain(desired, observed)
  return retain.autoscaled(retain.queue(desired, observed, "spec"), observed)
end
