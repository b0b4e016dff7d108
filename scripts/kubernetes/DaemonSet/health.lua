local observed = require("lib.observed")

-- The pods of all nodes are updated and available; where pods are updated on deletion only,
-- they need not be updated (Kubernetes 1.36, DaemonSetStatus).
function InterpretHealth(obj)
  local status = obj.status or {}
  local desired = status.desiredNumberScheduled or 0
  local updated = status.updatedNumberScheduled or 0
  if kube.get(obj, "spec.updateStrategy.type") == "OnDelete" then
    updated = math.max(updated, desired)
  end
  return obj.status ~= nil and observed(obj) and updated >= desired and (status.numberAvailable or 0) >= updated
end
