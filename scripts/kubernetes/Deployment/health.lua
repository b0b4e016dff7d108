local observed = require("lib.observed")

-- As kubectl rollout status (Kubernetes 1.36, polymorphichelpers/rollout_status.go): the
-- controller has observed the spec, all replicas are updated and available, and none is left
-- from before. Past the progress deadline one of these counts is behind: the controller
-- reports a rollout as complete, and nothing else, once they are not. Where it is paused, what
-- runs is enough, and where it asks for no pods, nothing need run.
function InterpretHealth(obj)
  local status, desired = obj.status, kube.get(obj, "spec.replicas", 1)
  if desired == 0 or not observed(obj) then
    return desired == 0
  end
  local updated, available = status.updatedReplicas or 0, status.availableReplicas or 0
  if kube.get(obj, "spec.paused") then
    return available >= desired
  end
  return updated >= desired and available >= updated and (status.replicas or 0) <= updated
end
