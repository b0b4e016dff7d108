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

-- Reports whether the pods that are to be updated are, and all desired ones can serve, after
-- the controller has observed the spec. A DaemonSet with partitionedScaling has no pods but those to
-- be updated.
function rollout.done(obj, desired, updated, serving)
  if not obj.status or (obj.status.observedGeneration or 0) ~= kube.get(obj, "metadata.generation", 0) then
    return false
  end
  local least = desired - rollout.left(obj, desired)
  if kube.get(obj, "spec.scaleStrategy.partitionedScaling") then
    desired = least
  end
  return (updated or 0) >= least and (serving or 0) >= math.max(updated or 0, desired)
end

-- Of a kind with spec.replicas, 0 of which are there whatever the status is.
function rollout.health(obj)
  local status, desired = obj.status or {}, kube.get(obj, "spec.replicas", 1)
  return desired == 0 or rollout.done(obj, desired, status.updatedReplicas, status.availableReplicas)
end

return rollout
