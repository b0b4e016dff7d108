-- The states are those of org.apache.flink.api.common.JobStatus.

-- The job runs, has ended, or Flink itself is bringing it to one of the two.
local healthy = {
  RUNNING = true, FINISHED = true, CANCELED = true, SUSPENDED = true,
  CANCELLING = true, FAILING = true, RESTARTING = true,
}

local health = {}

-- Reports whether what has failed for good has no reason to move.
function health.mayStay(failover)
  if params.failedRuns == "failover" then
    return not failover
  end
  return params.failedRuns == "healthy"
end

-- The job has not started. Another cluster would not cure a wrong image or program.
local starting = { CREATED = true, INITIALIZING = true, RECONCILING = true }
local ownFaults = { "ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff" }

-- Reports whether a job is suspended on purpose. It may not have started at all, and the
-- operator need not have seen it.
local function suspended(obj)
  return kube.get(obj, "spec.job.state") == "suspended"
end

-- Reports whether a job in a state that is not healthy by itself has no reason to move.
local function mayWait(obj, state, failover)
  if state == "FAILED" then
    return health.mayStay(failover)
  end
  local error = starting[state] and kube.get(obj, "status.error")
  for _, fault in ipairs(error and ownFaults or {}) do
    if string.find(error, fault, 1, true) then
      return true
    end
  end
  return false
end

-- The operator keeps the last spec that it took, and what it reports is about that one, until
-- it has taken the spec as it is now: a spec that it refuses, never. What runs must not move
-- for that, so a healthy job is then one of which nothing is known.
local function current(obj)
  local observed = kube.get(obj, "status.observedGeneration")
  if observed and observed < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  return true
end

-- Before a session cluster has accepted the job there is no state, and the job is not
-- healthy: the session cluster moves along with it.
function health.job(obj, failover)
  if suspended(obj) then
    return true
  end
  local jobStatus = kube.get(obj, "status.jobStatus")
  local state = jobStatus and jobStatus.state
  if state and healthy[state] or mayWait(obj, state, failover) then
    return current(obj)
  end
  return false
end

-- A session cluster has no job; its job manager shows that it serves.
function health.deployment(obj, failover)
  if suspended(obj) then
    return true
  end
  local jobStatus = kube.get(obj, "status.jobStatus")
  local state = jobStatus and jobStatus.state
  if not state and kube.get(obj, "status.jobManagerDeploymentStatus") == "READY"
    and kube.get(obj, "status.lifecycleState") == "STABLE" then
    return current(obj)
  end
  if state and healthy[state] or mayWait(obj, state, failover) then
    return current(obj)
  end
  return false
end

return health
