-- A job that has ended or runs is healthy, and so is one that is paused by its spec. One
-- that is paused because a pod failed waits for a user. Phases: Kruise 1.8,
-- BroadcastJobPhase.
function InterpretHealth(obj)
  if not obj.status then
    return false
  end
  local phase = obj.status.phase
  if phase == "failed" then
    return params.failedRuns == "healthy"
  end
  if phase == "paused" then
    return kube.get(obj, "spec.paused", false)
  end
  if phase == "running" or phase == "completed" then
    return true
  end
end
