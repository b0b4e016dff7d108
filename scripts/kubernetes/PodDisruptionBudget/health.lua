local observed = require("lib.observed")

-- The controller has counted the pods for the current spec, and there are enough
-- (Kubernetes 1.36, controller/disruption, updatePdbStatus).
function InterpretHealth(obj)
  local seen, reason = observed(obj)
  return seen and kube.get(obj, "status.currentHealthy", 0) >= kube.get(obj, "status.desiredHealthy", 0), reason
end
