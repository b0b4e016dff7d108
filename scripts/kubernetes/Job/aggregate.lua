-- One status of those of the member clusters. What has ended needs more of a status than
-- members before Kubernetes 1.31 report: the API server of the control plane requires
-- FailureTarget beside Failed, SuccessCriteriaMet and a completionTime beside Complete, a
-- startTime before that, and no active pods. It lets FailureTarget not go again (Kubernetes
-- 1.36, registry/batch/job, getStatusValidationOptions).

-- The number of clusters in which the Job has started.
local function started(items)
  local n = 0
  for _, item in ipairs(items) do
    if kube.get(item, "status.startTime") or kube.conditionTrue(item, "Complete") then
      n = n + 1
    end
  end
  return n
end

-- The names of the clusters in which the condition is True, and the times since when it is,
-- the first time first.
local function holding(items, type)
  local names, since = {}, {}
  for _, item in ipairs(items) do
    if kube.conditionTrue(item, type) then
      table.insert(names, item.clusterName)
      table.insert(since, kube.condition(item, type).lastTransitionTime or "")
    end
  end
  table.sort(since)
  return names, since
end

local function condition(type, since, reason, message)
  if since == "" then
    since = nil
  end
  return {
    type = type, status = "True", reason = reason, message = message,
    lastProbeTime = since, lastTransitionTime = since,
  }
end

-- The Job failed when it did in one cluster, and stays so when that one is left. It is about
-- to fail until the pods of the other clusters have ended too.
local function failure(obj, items, active)
  local target = kube.conditionTrue(obj, "FailureTarget") and kube.condition(obj, "FailureTarget")
  local clusters, since = holding(items, "Failed")
  if not target and #clusters == 0 then
    return {}
  end
  if not target then
    local message = "Job executed failed in member clusters " .. table.concat(clusters, ",")
    target = condition("FailureTarget", since[1], "JobFailed", message)
  end
  local list = kube.list(target)
  if active == 0 then
    table.insert(list, condition("Failed", target.lastTransitionTime, target.reason, target.message))
  end
  return list
end

-- The Job is complete when it is in all clusters. It met its criteria when it did in all, and
-- where a member does not report that, when it was complete.
local function success(items, active)
  local clusters, since = holding(items, "Complete")
  if #clusters < #items or active > 0 then
    return {}
  end
  local last = since[#since]
  local met, metSince = holding(items, "SuccessCriteriaMet")
  local message = "All member clusters have met success criteria"
  return kube.list(
    condition("Complete", last, "Completed", "Job completed"),
    condition("SuccessCriteriaMet", #met == #items and metSince[#metSince] or last, "CompletionsReached", message))
end

-- A Job that was ever suspended has a condition that says whether it is. Where all clusters have one it is
-- suspended when it is in all.
local function suspension(items)
  local shown
  for _, item in ipairs(items) do
    local condition = kube.condition(item, "Suspended")
    if not condition then
      return nil
    end
    shown = shown and shown.status ~= "True" and shown or condition
  end
  return shown and { shown }
end

-- The counts of pods. A Job that moves leaves pods behind that have ended, and the API
-- server lets their number not go down.
local function pods(obj, items)
  local status = kube.sumStatus(items, { "active", "succeeded", "failed" })
  for _, name in ipairs({ "succeeded", "failed" }) do
    local before = kube.get(obj, { "status", name }, 0)
    if before > (status[name] or 0) then
      status[name] = before
    end
  end
  return status
end

-- When the first pods started: known once all clusters have started, or the Job is about to end.
local function startTime(obj, items, ending)
  local start = kube.get(obj, "status.startTime")
  if not start and (ending or started(items) == #items) then
    start = kube.earliest(items, "startTime") or ending and ending.lastTransitionTime
  end
  return start or nil
end

-- When the last pods ended. The clock of the cluster that ended may be behind that of the one
-- that started.
local function completionTime(items, complete, start)
  local time = kube.latest(items, "completionTime") or complete.lastTransitionTime or start
  return time and start and time < start and start or time
end

function AggregateStatus(obj, items)
  local ended = kube.conditionTrue(obj, "Complete") or kube.conditionTrue(obj, "Failed")
  if ended or #kube.reported(items) == 0 then
    return obj
  end
  local status = pods(obj, items)
  local active = status.active or 0
  local conditions = failure(obj, items, active)
  local complete = #conditions == 0
  if complete then
    conditions = success(items, active)
  end
  status.conditions = kube.orNil(kube.concat(conditions, suspension(items)))
  status.startTime = startTime(obj, items, conditions[1])
  if complete and conditions[1] then
    status.completionTime = completionTime(items, conditions[1], status.startTime)
  end
  obj.status = status
  return obj
end
