local checkpoint = require("lib.checkpoint")

function RestoreState(desired, state)
  local path = state[checkpoint.key]
  return path and checkpoint.resume(desired, "pytorchReplicaSpecs", path) or desired
end
