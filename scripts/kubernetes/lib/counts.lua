local rollout = require("lib.rollout")

-- The kinds of apps/v1 count their pods in status: the counts that a member reports, and
-- the sum over the members.

local counts = {}

-- The counts that are always reported. Kubernetes leaves out a zero; here it is written, so
-- that it is not taken for unknown.
local always = {
  Deployment = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas" },
  ReplicaSet = { "replicas", "readyReplicas", "availableReplicas" },
  StatefulSet = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "currentReplicas" },
  DaemonSet = {
    "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
    "numberReady", "updatedNumberScheduled",
  },
}

-- The counts that are reported where there are any: those of missing pods.
local sometimes = { Deployment = { "unavailableReplicas" }, DaemonSet = { "numberUnavailable" } }

function counts.reflect(obj)
  local names = always[obj.kind]
  local status = kube.reflectStatus(obj, kube.concat(names, sometimes[obj.kind], { "observedGeneration" }))
  if status then
    for _, name in ipairs(names) do
      status[name] = status[name] or 0
    end
  end
  return status
end

-- The object with the sums in its status. observedGeneration advances when all clusters
-- have observed the object as it is.
function counts.sum(obj, items)
  local names = kube.concat(always[obj.kind], sometimes[obj.kind])
  local old = obj.status or {}
  local status = kube.sumStatus(items, names, old)
  for _, name in ipairs(names) do
    -- A count of zero that was never there is not written: the API server drops it.
    if status[name] == 0 and not old[name] then
      status[name] = nil
    end
  end
  local generation = kube.get(obj, "metadata.generation")
  if generation and kube.observedByAll(obj, items) then
    status.observedGeneration = generation
  end
  if next(status) then
    obj.status = status
  end
  if obj.kind == "Deployment" then
    rollout.report(obj, next(status) ~= nil and #kube.reported(items) > 0)
  end
  return obj
end

return counts
