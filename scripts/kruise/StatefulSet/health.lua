local rollout = require("lib.rollout")

function InterpretHealth(obj)
  local status = obj.status or {}
  return rollout.done(obj, kube.get(obj, "spec.replicas", 1), status.updatedReplicas, status.availableReplicas)
end
