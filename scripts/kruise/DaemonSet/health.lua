local rollout = require("lib.rollout")

function InterpretHealth(obj)
  local status = obj.status or {}
  return rollout.done(obj, status.desiredNumberScheduled or 0, status.updatedNumberScheduled, status.numberAvailable)
end
