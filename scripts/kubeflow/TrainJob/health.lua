local job = require("lib.job")

-- While it runs a TrainJob has no condition, but tells of its jobs.
function InterpretHealth(obj)
  return job.health(obj, true, #kube.get(obj, "status.jobsStatus", {}) > 0 or nil)
end
