local health = require("lib.health")

-- A session cluster has no job; the state of its job manager counts.
function InterpretHealth(obj)
  local status = obj.status or {}
  local state = status.jobStatus and status.jobStatus.state
  if not state and status.jobManagerDeploymentStatus == "READY" and status.lifecycleState == "STABLE" then
    return true
  end
  return health.inState(obj, state)
end
