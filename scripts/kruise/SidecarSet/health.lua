local rollout = require("lib.rollout")

-- All matched pods are ready, and those that are to be updated are. Without matched pods
-- there is nothing to do. Only newer controllers report which generation they have observed.
function InterpretHealth(obj)
  local status = obj.status
  if not status then
    return false
  end
  local generation = kube.get(obj, "metadata.generation")
  if (status.observedGeneration or generation) ~= generation then
    return false, "Pending"
  end
  local matched = status.matchedPods or 0
  return (status.updatedPods or 0) >= matched - rollout.left(obj, matched) and (status.readyPods or 0) >= matched
end
