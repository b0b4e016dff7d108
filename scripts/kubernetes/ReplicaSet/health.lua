local observed = require("lib.observed")

-- All replicas are available (Kubernetes 1.36, ReplicaSetStatus), if it asks for any.
function InterpretHealth(obj)
  local desired = kube.get(obj, "spec.replicas", 1)
  return desired == 0 or observed(obj) and kube.get(obj, "status.availableReplicas", 0) >= desired
end
