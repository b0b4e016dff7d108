local failed = require("lib.failed")

-- Volcano 1.13, pkg/controllers/cronjob: syncCronJob writes active and lastScheduleTime,
-- processFinishedJobs lastSuccessfulTime, the time at which a job became Completed. What ends
-- as Failed or Terminated leaves it as it was.
function InterpretHealth(obj, failover)
  local status = obj.status or {}
  local last, completed = status.lastScheduleTime, status.lastSuccessfulTime
  if not last or kube.get(obj, "spec.suspend") or next(status.active or {}) then
    return true -- nothing was due, nothing is to be, or a job is on its way
  end
  if completed then
    return completed >= last or failed(failover)
  end
  return nil -- the first job may be gone, or still be retried
end
