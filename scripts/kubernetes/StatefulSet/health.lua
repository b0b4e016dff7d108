local observed = require("lib.observed")
local serving = require("lib.serving")

-- How many replicas an update leaves as they are: those below the partition, and all of
-- them where pods are updated on deletion only.
local function left(obj, desired)
  if kube.get(obj, "spec.updateStrategy.type") == "OnDelete" then
    return desired
  end
  return kube.get(obj, "spec.updateStrategy.rollingUpdate.partition", 0)
end

-- Reports whether pods are being updated: some are to be, or the last one comes up still. Where some
-- are left as they are, the revision of before stays the current one, and does not tell.
local function updating(obj, desired, updated, least)
  local current, update = kube.get(obj, "status.currentRevision"), kube.get(obj, "status.updateRevision")
  return updated < least or least == desired and current ~= update
end

-- All replicas are available, and those that are to be updated are (Kubernetes 1.36,
-- StatefulSetStatus). An update that takes down no more than it may has not failed. Where it asks
-- for none, nothing need be.
function InterpretHealth(obj)
  local desired = kube.get(obj, "spec.replicas", 1)
  if desired == 0 then
    return true
  end
  local seen, reason = observed(obj)
  if not seen then
    return false, reason
  end
  local updated, available = obj.status.updatedReplicas or 0, obj.status.availableReplicas or 0
  local least = desired - left(obj, desired)
  if updated >= least and available >= math.max(updated, desired) then
    return true
  end
  return false, updating(obj, desired, updated, least) and serving(obj, desired, available) and "Progressing" or nil
end
