-- The states are those of org.apache.flink.api.common.JobStatus.

-- The job runs, has ended, or Flink itself is bringing it to one of the two.
local healthy = {
  RUNNING = true, FINISHED = true, FAILED = true, CANCELED = true, SUSPENDED = true,
  CANCELLING = true, FAILING = true, RESTARTING = true,
}

-- The job has not started. Another cluster would not cure a wrong image or program.
local starting = { CREATED = true, INITIALIZING = true, RECONCILING = true }
local ownFaults = { "ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff" }

-- Reports whether a job in that state has no reason to move. One that is suspended on
-- purpose may not have started at all.
local function inState(obj, state)
  if healthy[state] or kube.get(obj, "spec.job.state") == "suspended" then
    return true
  end
  local error = starting[state] and kube.get(obj, "status.error")
  for _, fault in ipairs(error and ownFaults or {}) do
    if string.find(error, fault, 1, true) then
      return true
    end
  end
  return false
end

local health = {}

function health.deployment(obj)
  local status = obj.status or {}
  local state = status.jobStatus and status.jobStatus.state
  if not state and status.jobManagerDeploymentStatus == "READY" and status.lifecycleState == "STABLE" then
    return true -- a session cluster has no job; its job manager shows that it serves
  end
  return inState(obj, state)
end

-- Before a session cluster has accepted the job there is no state, and the job is not
-- healthy: the session cluster moves along with it.
function health.job(obj)
  local status = obj.status or {}
  return inState(obj, status.jobStatus and status.jobStatus.state)
end

return health
