local worst = require("lib.worst")

-- What counts first where an application runs in several clusters.
local states = {
  "FAILED", "SUBMISSION_FAILED", "FAILING", "UNKNOWN", "PENDING_RERUN", "INVALIDATING",
  "SUSPENDING", "SUSPENDED", "RESUMING", "RUNNING", "SUBMITTED", "", "SUCCEEDING", "COMPLETED",
}

local rank = {}
for i, state in ipairs(states) do
  rank[state] = i
end

-- A state that is not known counts as one that runs.
local function rankOf(status)
  local state = status.applicationState
  return rank[state and state.state or ""] or rank.RUNNING
end

-- State, driver and ids are those of one application, of the cluster whose state counts first.
-- Attempts are added, of times the latest is reported, and the executors of all clusters are.
function AggregateStatus(obj, items)
  local first = worst(items, rankOf)
  if not first then
    return obj
  end
  if #kube.reported(items) < 2 then
    obj.status = first.status
    return obj
  end
  local status = kube.merge(first.status, kube.sumStatus(items, { "executionAttempts", "submissionAttempts" }))
  status.lastSubmissionAttemptTime = kube.latest(items, "lastSubmissionAttemptTime")
  status.terminationTime = kube.latest(items, "terminationTime")
  for _, item in ipairs(items) do
    local executors = kube.get(item, "status.executorState")
    status.executorState = executors and kube.merge(status.executorState, executors) or status.executorState
  end
  obj.status = status
  return obj
end
