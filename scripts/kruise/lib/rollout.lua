-- How far the controller is with what the spec asks for.

local amount = require("lib.amount")

local rollout = {}

-- How many of the desired pods an update leaves as they are: the partition, rounded up, and
-- all where it is paused, not for all of them, or only for pods that are deleted. The strategy
-- itself has these fields in SidecarSet and in CloneSet v1alpha1.
function rollout.left(obj, desired)
  local strategy = kube.get(obj, "spec.updateStrategy", {})
  local rolling = strategy.rollingUpdate or strategy
  if strategy.type == "OnDelete" or strategy.type == "NotUpdate" or rolling.paused or rolling.selector then
    return desired
  end
  local left = math.ceil(amount(rolling.partition, desired))
  for _, partition in pairs(kube.get(strategy, "manualUpdate.partitions", {})) do
    left = left + partition
  end
  return left
end

-- Reports whether an application serves while pods are updated: at least one is there, and no more
-- are not than the update may take down, by default one (CloneSet: 20%). The strategy of a
-- CloneSet v1alpha1 has the field itself.
local function serves(obj, desired, serving)
  local strategy = kube.get(obj, "spec.updateStrategy", {})
  local most = kube.get(strategy, "rollingUpdate.maxUnavailable", strategy.maxUnavailable)
  if most == nil and obj.kind == "CloneSet" then
    most = "20%"
  end
  local down = math.max(math.floor(amount(most or 1, desired)), 1)
  return serving >= math.max(desired - down, 1)
end

-- Reports whether the pods that are to be updated are, and all desired ones can serve, after
-- the controller has observed the spec; and where they are not, whether nothing has failed: a
-- change is not observed yet, or an update takes down no more than it may. A DaemonSet with
-- partitionedScaling has no pods but those to be updated.
function rollout.done(obj, desired, updated, serving)
  local seen = kube.get(obj, "status.observedGeneration", 0)
  if not obj.status or seen ~= kube.get(obj, "metadata.generation", 0) then
    return false, seen > 0 and "Pending" or nil
  end
  local least = desired - rollout.left(obj, desired)
  if kube.get(obj, "spec.scaleStrategy.partitionedScaling") then
    desired = least
  end
  updated, serving = updated or 0, serving or 0
  if updated >= least and serving >= math.max(updated, desired) then
    return true
  end
  return false, updated < least and serves(obj, desired, serving) and "Progressing" or nil
end

-- Of a kind with spec.replicas, 0 of which are there whatever the status is.
function rollout.health(obj)
  local status, desired = obj.status or {}, kube.get(obj, "spec.replicas", 1)
  if desired == 0 then
    return true
  end
  return rollout.done(obj, desired, status.updatedReplicas, status.availableReplicas)
end

return rollout
