-- The conditions of a Deployment, of its counts and of what has failed. Of their conditions members report
-- that alone; clients that wait for a Deployment read Available and Progressing (Kubernetes 1.36, deployment/progress.go, syncRolloutStatus).

local failures = require("lib.failures")

local rollout = {}

-- How many pods a rolling update may take down: a number, or a share rounded down; 25% by
-- default, and none where the strategy is another one (deployment/util, ResolveFenceposts).
local function mayBeMissing(obj, desired)
  if kube.get(obj, "spec.strategy.type", "RollingUpdate") ~= "RollingUpdate" then
    return 0
  end
  local most = kube.get(obj, "spec.strategy.rollingUpdate.maxUnavailable", "25%")
  local percent = type(most) == "string" and tonumber(string.match(most, "^(%d+)%%$"))
  if percent then
    return math.floor(percent * desired / 100)
  end
  return tonumber(most) or 0
end

-- Puts a condition in the place of that of its type. One that reports the same stays with its times.
local function set(list, condition)
  for i, old in ipairs(list) do
    if old.type == condition.type then
      if old.status ~= condition.status or old.reason ~= condition.reason then
        list[i] = condition
      end
      return
    end
  end
  table.insert(list, condition)
end

-- Writes the conditions. Where no cluster has reported yet there are none.
function rollout.report(obj, items, reported)
  local status, desired = obj.status or {}, kube.get(obj, "spec.replicas", 1)
  if not reported and desired > 0 and not kube.condition(obj, "Available") then
    return
  end
  local available, updated = status.availableReplicas or 0, status.updatedReplicas or 0
  local observed = status.observedGeneration == kube.get(obj, "metadata.generation")
  local list = kube.concat(status.conditions)
  if available >= desired - mayBeMissing(obj, desired) then
    set(list, { type = "Available", status = "True", reason = "MinimumReplicasAvailable", message = "Enough replicas are available in the clusters." })
  else
    set(list, { type = "Available", status = "False", reason = "MinimumReplicasUnavailable", message = "Too few replicas are available in the clusters." })
  end
  local failure = failures.first(obj, items)
  if failure then
    set(list, failure)
  elseif observed and updated >= desired and available >= updated and (status.replicas or 0) <= updated then
    set(list, { type = "Progressing", status = "True", reason = "NewReplicaSetAvailable", message = "All clusters have rolled out the template." })
  else
    set(list, { type = "Progressing", status = "True", reason = "ReplicaSetUpdated", message = "The clusters are rolling out the template." })
  end
  status.conditions = list
  obj.status = status
end

return rollout
