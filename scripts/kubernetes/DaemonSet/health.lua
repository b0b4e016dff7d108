local seen = require("lib.seen")

-- The pods of all nodes are of the spec and available; where pods are updated on deletion
-- only, they need not be of it (Kubernetes 1.36, DaemonSetStatus).
function InterpretHealth(obj)
  local status = obj.status or {}
  local wanted = status.desiredNumberScheduled or 0
  local updated = status.updatedNumberScheduled or 0
  if kube.get(obj, "spec.updateStrategy.type") == "OnDelete" then
    updated = math.max(updated, wanted)
  end
  return obj.status ~= nil and seen(obj) and updated >= wanted and (status.numberAvailable or 0) >= updated
end
