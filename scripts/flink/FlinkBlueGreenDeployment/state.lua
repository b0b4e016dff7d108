local progress = require("lib.progress")

-- The state is that of the deployment that was made last, of the two that the operator makes:
-- to it the job went, and it started from a savepoint of the other.
function GetState(obj, deployments)
  return progress.state(deployments[1] or kube.get(obj, "spec.template", {}), kube.list())
end
