local retain = require("lib.retain")
local checkpoint = require("lib.checkpoint")

local field = "pytorchReplicaSpecs"

-- A job that was told to go on from a checkpoint stays told, unless the template names
-- another one: pods that the operator starts again must not begin anew.
function Retain(desired, observed)
  local path = checkpoint.annotation(observed, checkpoint.restored)
  if path and (checkpoint.annotation(desired, checkpoint.restored) or path) == path then
    desired = checkpoint.resume(desired, field, path)
  end
  return retain.job(desired, observed, field)
end
