-- Conditions and counts of JobSet 0.5 and later. A Job is ready when all its pods are or
-- have completed, and active when one of them runs or waits.
function InterpretHealth(obj)
  if kube.conditionTrue(obj, "Failed") then
    return params.failedRuns == "healthy"
  end
  if kube.conditionTrue(obj, "Completed") or kube.conditionTrue(obj, "Suspended") then
    return true
  end
  local started = false
  for _, job in ipairs(kube.get(obj, "status.replicatedJobsStatus", {})) do
    if (job.active or 0) > (job.ready or 0) then
      return false
    end
    started = started or (job.ready or 0) + (job.succeeded or 0) > 0
  end
  return started or nil
end
