local health = require("lib.health")

-- While it runs a TrainJob has no condition, but the status of its jobs.
function InterpretHealth(obj, failover)
  if #kube.get(obj, "status.conditions", {}) == 0 and #kube.get(obj, "status.jobsStatus", {}) > 0 then
    return true
  end
  return health.job(obj, failover)
end
