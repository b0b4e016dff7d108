local observed = require("lib.observed")
local serving = require("lib.serving")

-- The pods of all nodes are updated and available; where pods are updated on deletion only,
-- they need not be updated (Kubernetes 1.36, DaemonSetStatus). An update that takes down no more
-- than it may has not failed.
function InterpretHealth(obj)
  local seen, reason = observed(obj)
  if not seen then
    return false, reason
  end
  local desired, updated = obj.status.desiredNumberScheduled or 0, obj.status.updatedNumberScheduled or 0
  local available = obj.status.numberAvailable or 0
  if kube.get(obj, "spec.updateStrategy.type") == "OnDelete" then
    updated = math.max(updated, desired)
  end
  if updated >= desired and available >= updated then
    return true
  end
  return false, updated < desired and serving(obj, desired, available) and "Progressing" or nil
end
