local function holds(obj, type)
  return kube.get(kube.condition(obj, type), "status") == "True"
end

-- Conditions and counts of JobSet 0.5 and later. A Job is ready when all its pods are or
-- have completed, and active when one of them runs or waits.
function InterpretHealth(obj)
  if holds(obj, "Failed") then
    return params.failedRuns == "healthy"
  end
  if holds(obj, "Completed") or holds(obj, "Suspended") then
    return true
  end
  local begun = false
  for _, job in ipairs(kube.get(obj, "status.replicatedJobsStatus", {})) do
    if (job.active or 0) > (job.ready or 0) then
      return false
    end
    begun = begun or (job.ready or 0) + (job.succeeded or 0) > 0
  end
  return begun or nil
end
