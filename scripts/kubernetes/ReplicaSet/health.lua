local seen = require("lib.seen")

-- All replicas are available (Kubernetes 1.36, ReplicaSetStatus).
function InterpretHealth(obj)
  local wanted = kube.get(obj, "spec.replicas", 1)
  return seen(obj) and kube.get(obj, "status.availableReplicas", 0) >= wanted
end
