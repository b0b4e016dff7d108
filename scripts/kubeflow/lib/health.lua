-- The health of jobs with the condition Failed.

local finished = require("lib.finished")

local health = {}

-- Reports whether a job that has failed has no reason to move.
local function mayStay(failover)
  return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
end

-- Reports whether a job is suspended on purpose, which its controller may not have seen yet.
local function suspended(obj)
  return kube.get(obj, "spec.suspend") == true or kube.get(obj, "spec.runPolicy.suspend") == true
end

-- A job is healthy while it has conditions and Failed is not True. Before it has any, its
-- controller has not seen it, or there is none. A job that had failed before it was suspended
-- has failed, unless its operator starts it again.
function health.job(obj, failover)
  if suspended(obj) and not finished.job(obj) then
    return true
  end
  if kube.conditionTrue(obj, "Failed") then
    return mayStay(failover)
  end
  return #kube.get(obj, "status.conditions", {}) > 0
end

return health
