local observed = require("lib.observed")

-- All replicas are available (Kubernetes 1.36, ReplicaSetStatus), if it asks for any.
function InterpretHealth(obj)
  local desired = kube.get(obj, "spec.replicas", 1)
  if desired == 0 then
    return true
  end
  local seen, reason = observed(obj)
  return seen and kube.get(obj, "status.availableReplicas", 0) >= desired, reason
end
