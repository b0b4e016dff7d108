-- Job states are those of org.apache.flink.api.common.JobStatus, which the operator
-- (1.7 to 1.13) copies into status.jobStatus.state.

-- The job runs, has ended, or Flink itself is bringing it to one of the two.
local settled = {
  RUNNING = true, FINISHED = true, FAILED = true, CANCELED = true, SUSPENDED = true,
  CANCELLING = true, FAILING = true, RESTARTING = true,
}

-- The job has not begun. Another cluster would not mend a wrong image or program.
local starting = { CREATED = true, INITIALIZING = true, RECONCILING = true }
local ownFault = { "ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff" }

function InterpretHealth(obj)
  local status = obj.status
  if not status then
    return false
  end
  local state = status.jobStatus and status.jobStatus.state
  if not state then
    -- A session cluster has no job; its job manager tells.
    return status.jobManagerDeploymentStatus == "READY" and status.lifecycleState == "STABLE"
  end
  if settled[state] then
    return true
  end
  if starting[state] and status.error then
    for _, fault in ipairs(ownFault) do
      if string.find(status.error, fault, 1, true) then
        return true
      end
    end
  end
  return false
end
