local failures = require("lib.failures")
local rollout = require("lib.rollout")

-- The kinds of apps/v1 count their pods in status: the counts that a member reports, and
-- the sum over the members.

local counts = {}

-- The counts that are always reported. Kubernetes leaves out a zero; here it is written, so
-- that it is not taken for unknown.
local always = {
  Deployment = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas" },
  ReplicaSet = { "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas" },
  StatefulSet = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "currentReplicas" },
  DaemonSet = {
    "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
    "numberReady", "updatedNumberScheduled",
  },
}

-- The counts that are reported where there are any: those of missing pods.
local sometimes = { Deployment = { "unavailableReplicas" }, DaemonSet = { "numberUnavailable" } }

-- The revisions of a StatefulSet, which differ during an update.
local revisions = { StatefulSet = { "currentRevision", "updateRevision" } }

function counts.reflect(obj)
  local names = always[obj.kind]
  local others = kube.concat(sometimes[obj.kind], revisions[obj.kind], { "observedGeneration" })
  local status = kube.reflectStatus(obj, kube.concat(names, others))
  if status then
    status.conditions = failures.reflect(obj)
    for _, name in ipairs(names) do
      status[name] = status[name] or 0
    end
  end
  return status
end

-- Puts the revisions into a status: those of the first cluster that is being updated, or else of the first.
local function describe(status, names, items)
  local shown
  for _, item in ipairs(names and kube.reported(items) or {}) do
    local updated = not shown or shown.currentRevision == shown.updateRevision
    if updated and (not shown or item.status.currentRevision ~= item.status.updateRevision) then
      shown = item.status
    end
  end
  for _, name in ipairs(shown and names or {}) do
    status[name] = shown[name]
  end
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
  local counted = next(status) ~= nil
  status.observedGeneration = kube.observedGeneration(obj, items)
  describe(status, revisions[obj.kind], items)
  if next(status) then
    obj.status = status
  end
  failures.report(obj, items)
  if obj.kind == "Deployment" then
    local seen = status.observedGeneration == kube.get(obj, "metadata.generation")
    rollout.report(obj, items, (counted or seen) and #kube.reported(items) > 0)
  end
  return obj
end

return counts
