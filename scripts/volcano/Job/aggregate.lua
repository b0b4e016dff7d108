local duration = require("lib.duration")

local counts = {
  "failed", "minAvailable", "pending", "retryCount", "running", "succeeded", "terminating", "unknown",
}

-- The phases; the state is that of a cluster with the first of them. A cluster that reports none
-- has not completed the job.
local phases = {
  "Failed", "Aborting", "Aborted", "Terminating", "Terminated", "Restarting", "Running",
  "Pending", "", "Completing", "Completed",
}

local function state(items)
  for _, phase in ipairs(phases) do
    for _, item in ipairs(items) do
      if kube.get(item, "status.state.phase", "") == phase then
        return kube.get(item, "status.state")
      end
    end
  end
end

-- The paths of the pods that are counted by task and phase.
local function taskCounts(items)
  local paths, known = kube.list(), {}
  for _, item in ipairs(items) do
    for name, task in pairs(kube.get(item, "status.taskStatusCount", {})) do
      for phase in pairs(task.phase or {}) do
        local key = name .. "/" .. phase
        if not known[key] then
          known[key] = true
          table.insert(paths, { "taskStatusCount", name, "phase", phase })
        end
      end
    end
  end
  return paths
end

-- The pods of all clusters. As Karmada has it a count of nothing is left out.
local function sums(items)
  local status = kube.sumStatus(items, kube.concat(counts, taskCounts(items)))
  for _, field in ipairs(counts) do
    if status[field] == 0 then
      status[field] = nil
    end
  end
  return status
end

-- What is longest, listed or named by cluster. Items are sorted by cluster.
local function others(items, status)
  for _, item in ipairs(items) do
    local reported = item.status or {}
    status.controlledResources = reported.controlledResources
      and kube.merge(status.controlledResources, reported.controlledResources) or status.controlledResources
    status.conditions = reported.conditions and kube.concat(status.conditions, reported.conditions) or status.conditions
    if reported.runningDuration and duration(reported.runningDuration) > duration(status.runningDuration or "0s") then
      status.runningDuration = reported.runningDuration
    end
  end
end

local function merged(items)
  local status = sums(items)
  others(items, status)
  status.state = state(items)
  status.version = kube.latest(items, "version")
  return status
end

-- The status of the only cluster, or else what all have together.
function AggregateStatus(obj, items)
  local status = #items == 1 and items[1].status or merged(items)
  if next(status) then
    obj.status = status
  end
  return obj
end
