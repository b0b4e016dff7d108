local runs = require("lib.runs")

-- The last run succeeded, or there is none yet, or it is not to run (Kubernetes 1.24 to 1.36,
-- CronJobStatus; controller/cronjob, which writes the times). A run that succeeded ends after
-- it was scheduled. Without any success the first run may have failed or be gone.
function InterpretHealth(obj, failover)
  local scheduled = kube.get(obj, "status.lastScheduleTime")
  if kube.get(obj, "spec.suspend") or not scheduled or #kube.get(obj, "status.active", {}) > 0 then
    return true
  end
  local succeeded = kube.get(obj, "status.lastSuccessfulTime")
  if not succeeded then
    return nil
  end
  return succeeded >= scheduled or runs.failed(failover)
end
