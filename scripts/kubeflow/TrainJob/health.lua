local health = require("lib.health")

-- While it runs a TrainJob has no condition, but the status of its jobs.
function InterpretHealth(obj)
  local healthy = health.job(obj)
  if healthy == nil and #kube.get(obj, "status.jobsStatus", {}) > 0 then
    return true
  end
  return healthy
end
