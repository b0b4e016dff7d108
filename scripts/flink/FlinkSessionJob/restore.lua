local progress = require("lib.progress")

function RestoreState(desired, state)
  return progress.restore(desired, state)
end
