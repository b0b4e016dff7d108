-- The states are those of org.apache.flink.api.common.JobStatus. The job runs, has ended,
-- or Flink itself is bringing it to one of the two.
local settled = {
  RUNNING = true, FINISHED = true, FAILED = true, CANCELED = true, SUSPENDED = true,
  CANCELLING = true, FAILING = true, RESTARTING = true,
}

-- The job has not begun. Another cluster would not mend a wrong image or program.
local starting = { CREATED = true, INITIALIZING = true, RECONCILING = true }
local ownFault = { "ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff" }

-- Says that a job in that state has no reason to move. A job that is suspended on purpose
-- may not have begun at all.
local function healthy(obj, state)
  if settled[state] or kube.get(obj, "spec.job.state") == "suspended" then
    return true
  end
  local error = starting[state] and kube.get(obj, "status.error")
  for _, fault in ipairs(error and ownFault or {}) do
    if string.find(error, fault, 1, true) then
      return true
    end
  end
  return false
end

return healthy
