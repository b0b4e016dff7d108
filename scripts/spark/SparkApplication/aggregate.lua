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
local function rankOf(item)
  local state = item.status.applicationState
  return rank[state and state.state or ""] or rank.RUNNING
end

-- The status is that of the cluster whose state counts first, so that state, driver and ids are
-- those of one application; of clusters alike, the first by name.
function AggregateStatus(obj, items)
  local first
  for _, item in ipairs(items) do
    if item.status and (not first or rankOf(item) < rankOf(first)
      or (rankOf(item) == rankOf(first) and item.clusterName < first.clusterName)) then
      first = item
    end
  end
  if first then
    obj.status = first.status
  end
  return obj
end
