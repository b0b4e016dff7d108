local observed = require("lib.observed")

-- Reports whether a rollout is under way, by its counts or by what the controller reports until
-- one is complete (Kubernetes 1.36, deployment/progress.go).
local function updating(obj, desired)
  local status, progressing = obj.status, kube.condition(obj, "Progressing") or {}
  local updated = status.updatedReplicas or 0
  return updated < desired or (status.replicas or 0) > updated
    or progressing.status == "True" and progressing.reason ~= "NewReplicaSetAvailable"
end

-- Reports whether as many pods are available as the rollout leaves at least, and any at all.
local function serves(obj, desired)
  local available, condition = obj.status.availableReplicas or 0, kube.condition(obj, "Available")
  if condition then
    return condition.status == "True" and available > 0
  end
  return available >= desired
end

-- As kubectl rollout status (Kubernetes 1.36, polymorphichelpers/rollout_status.go): the
-- controller has observed the spec, all replicas are updated and available, and none is left
-- from before. While a rollout is under way, or stuck, and the application serves, nothing has
-- failed: another cluster would only try it again, without the pods of before. Where it is paused, what
-- runs is enough, and where it asks for no pods, nothing need run.
function InterpretHealth(obj)
  local status, desired = obj.status, kube.get(obj, "spec.replicas", 1)
  if desired == 0 then
    return true
  end
  local seen, reason = observed(obj)
  if not seen then
    return false, reason
  end
  local updated, available = status.updatedReplicas or 0, status.availableReplicas or 0
  if kube.get(obj, "spec.paused") then
    return available >= desired
  end
  if updated >= desired and available >= updated and (status.replicas or 0) <= updated then
    return true
  end
  return false, updating(obj, desired) and serves(obj, desired) and "Progressing" or nil
end
