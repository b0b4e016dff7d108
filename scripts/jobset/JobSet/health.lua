-- Reports whether a set that has failed has no reason to move.
local function mayStay(failover)
  return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
end

-- Reports whether a set is over, or suspended on purpose, which its controller may not have
-- seen yet.
local function rests(obj)
  return kube.conditionTrue(obj, "Completed") or kube.conditionTrue(obj, "Suspended") or kube.get(obj, "spec.suspend") == true
end

-- Conditions and counts of JobSet 0.5 and later. A Job is ready when all its pods are or
-- have completed, and active when one of them runs or waits. Between restarts there are no
-- Jobs, and without counts the controller has not seen the set.
function InterpretHealth(obj, failover)
  if kube.conditionTrue(obj, "Failed") then
    return mayStay(failover)
  end
  if rests(obj) then
    return true
  end
  local jobs, started = kube.get(obj, "status.replicatedJobsStatus", {}), false
  for _, job in ipairs(jobs) do
    if (job.active or 0) > (job.ready or 0) then
      return false
    end
    started = started or (job.ready or 0) + (job.succeeded or 0) > 0
  end
  if #jobs == 0 then
    return false
  end
  return started or nil
end
