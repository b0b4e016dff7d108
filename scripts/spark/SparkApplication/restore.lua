local checkpoint = require("lib.checkpoint")

function RestoreState(desired, state)
  return checkpoint.restore(desired, desired.spec, state)
end
