-- One status out of those of the member clusters. What the API server wants of a Job that
-- has ended (Kubernetes 1.31 and later): FailureTarget beside Failed, SuccessCriteriaMet
-- beside Complete, a startTime, and no active pods.

local conditions = require("lib.conditions")
local members = require("lib.items")

local function condition(type, since, reason, message)
  if since == "" then
    since = nil
  end
  return {
    type = type, status = "True", reason = reason, message = message,
    lastProbeTime = since, lastTransitionTime = since,
  }
end

-- The Job failed when it did in one cluster. Where the members say FailureTarget, that
-- goes first, and Failed follows when the pods of the other clusters have ended too.
local function failure(items, active)
  local clusters, since = conditions.holding(items, "Failed")
  if #clusters == 0 then
    return {}
  end
  local message = "Job executed failed in member clusters " .. table.concat(clusters, ",")
  local told = kube.list()
  if #conditions.holding(items, "FailureTarget") >= #clusters then
    told[1] = condition("FailureTarget", since[1], "JobFailed", message)
  end
  if #told == 0 or active == 0 then
    table.insert(told, condition("Failed", since[1], "JobFailed", message))
  end
  return told
end

-- The Job is complete when it is in all clusters, and so with SuccessCriteriaMet.
local function success(items)
  local clusters, since = conditions.holding(items, "Complete")
  if #clusters < #items then
    return {}
  end
  local told = { condition("Complete", since[#since], "Completed", "Job completed") }
  clusters, since = conditions.holding(items, "SuccessCriteriaMet")
  if #clusters == #items then
    local message = "All member clusters have met success criteria"
    table.insert(told, condition("SuccessCriteriaMet", since[#since], "CompletionsReached", message))
  end
  return told
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
  local ended = conditions.held(obj, "Complete") or conditions.held(obj, "Failed")
  if ended or members.having(items, "status") == 0 then
    return obj
  end
  local status = pods(obj, items)
  local told = kube.concat(failure(items, status.active or 0), success(items))
  if next(told) then
    status.conditions = told
  end
  status.startTime = kube.get(obj, "status.startTime")
  if not status.startTime and (next(told) or members.having(items, "status.startTime") == #items) then
    status.startTime = kube.earliest(items, "startTime")
  end
  if members.having(items, "status.completionTime") == #items then
    status.completionTime = kube.latest(items, "completionTime")
  end
  obj.status = status
  return obj
end
