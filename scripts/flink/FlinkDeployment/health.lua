local healthy = require("lib.health")

function InterpretHealth(obj)
  local status = obj.status or {}
  local state = status.jobStatus and status.jobStatus.state
  if not state and status.jobManagerDeploymentStatus == "READY" and status.lifecycleState == "STABLE" then
    return true -- a session cluster has no job; its job manager tells
  end
  return healthy(obj, state)
end
