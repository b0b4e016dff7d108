local healthy = require("lib.health")

-- Before the session cluster has the job it has no state, and is not healthy: the session
-- cluster moves along with it.
function InterpretHealth(obj)
  local status = obj.status or {}
  return healthy(obj, status.jobStatus and status.jobStatus.state)
end
