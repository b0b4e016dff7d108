-- Reports whether a job that has failed counts as healthy.
local function failed(failover)
  if params.failedRuns == "failover" then
    return not failover
  end
  return params.failedRuns == "healthy"
end

-- A job that has ended well or runs is healthy, and so is one that is paused by its spec. One
-- that is paused because a pod failed waits for a user. Phases: Kruise 1.8,
-- BroadcastJobPhase.
function InterpretHealth(obj, failover)
  local phase = kube.get(obj, "status.phase")
  if phase == "failed" then
    return failed(failover)
  end
  return kube.get(obj, "spec.paused", false) or phase == "running" or phase == "completed"
end
