local observed = require("lib.observed")

-- How many replicas an update leaves as they are: those below the partition, and all of
-- them where pods are updated on deletion only.
local function left(obj, desired)
  if kube.get(obj, "spec.updateStrategy.type") == "OnDelete" then
    return desired
  end
  return kube.get(obj, "spec.updateStrategy.rollingUpdate.partition", 0)
end

-- All replicas are available, and those that are to be updated are (Kubernetes 1.36,
-- StatefulSetStatus). Where it asks for none, nothing need be.
function InterpretHealth(obj)
  local desired = kube.get(obj, "spec.replicas", 1)
  local updated = kube.get(obj, "status.updatedReplicas", 0)
  local available = kube.get(obj, "status.availableReplicas", 0)
  if desired == 0 then
    return true
  end
  return observed(obj) and updated >= desired - left(obj, desired) and available >= math.max(updated, desired)
end
