-- One status of those of the member clusters. The API server requires of a Job that has
-- ended (Kubernetes 1.31 and later): FailureTarget beside Failed, SuccessCriteriaMet
-- beside Complete, a startTime, and no active pods.

-- The number of clusters whose status has a field.
local function having(items, field)
  local n = 0
  for _, item in ipairs(items) do
    n = kube.get(item, { "status", field }) == nil and n or n + 1
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

-- The Job failed when it did in one cluster. Where the members have FailureTarget, that
-- comes first, and Failed follows when the pods of the other clusters have ended too.
local function failure(items, active)
  local clusters, since = holding(items, "Failed")
  if #clusters == 0 then
    return {}
  end
  local message = "Job executed failed in member clusters " .. table.concat(clusters, ",")
  local list = kube.list()
  if #holding(items, "FailureTarget") >= #clusters then
    list[1] = condition("FailureTarget", since[1], "JobFailed", message)
  end
  if #list == 0 or active == 0 then
    table.insert(list, condition("Failed", since[1], "JobFailed", message))
  end
  return list
end

-- The Job is complete when it is in all clusters, and so with SuccessCriteriaMet.
local function success(items)
  local clusters, since = holding(items, "Complete")
  if #clusters < #items then
    return {}
  end
  local list = { condition("Complete", since[#since], "Completed", "Job completed") }
  clusters, since = holding(items, "SuccessCriteriaMet")
  if #clusters == #items then
    local message = "All member clusters have met success criteria"
    table.insert(list, condition("SuccessCriteriaMet", since[#since], "CompletionsReached", message))
  end
  return list
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

function AggregateStatus(obj, items)
  local ended = kube.conditionTrue(obj, "Complete") or kube.conditionTrue(obj, "Failed")
  if ended or #kube.reported(items) == 0 then
    return obj
  end
  local status = pods(obj, items)
  status.conditions = kube.orNil(kube.concat(failure(items, status.active or 0), success(items)))
  status.startTime = kube.get(obj, "status.startTime")
  if not status.startTime and (status.conditions or having(items, "startTime") == #items) then
    status.startTime = kube.earliest(items, "startTime")
  end
  if having(items, "completionTime") == #items then
    status.completionTime = kube.latest(items, "completionTime")
  end
  obj.status = status
  return obj
end
