local seen = require("lib.seen")

-- As kubectl rollout status: the controller has seen the spec, and all replicas are
-- of it and available (Kubernetes 1.36, DeploymentStatus).
function InterpretHealth(obj)
  local wanted = kube.get(obj, "spec.replicas", 1)
  local updated = kube.get(obj, "status.updatedReplicas", 0)
  return seen(obj) and updated >= wanted and kube.get(obj, "status.availableReplicas", 0) >= updated
end
