local observed = require("lib.observed")

-- As kubectl rollout status: the controller has observed the spec, and all replicas are
-- updated and available (Kubernetes 1.36, DeploymentStatus).
function InterpretHealth(obj)
  local desired = kube.get(obj, "spec.replicas", 1)
  local updated = kube.get(obj, "status.updatedReplicas", 0)
  return observed(obj) and updated >= desired and kube.get(obj, "status.availableReplicas", 0) >= updated
end
