local cluster = require("lib.cluster")
local isFinished = require("lib.finished")

-- Ends of a job other than success; see the parameter failedRuns.
local ended = { Complete = true, Failed = true, ValidationFailed = true }

-- Reports whether a job that has failed for good has no reason to move.
local function mayStay(failover)
  return params.failedRuns == "healthy" or params.failedRuns == "failover" and not failover
end

-- A job on its way is not healthy yet, as Karmada has it.
local function isHealthy(obj, state, failover)
  if state == "Running" or (state == "Complete" and obj.status.jobStatus == "SUCCEEDED") then
    return true
  end
  return ended[state] == true and mayStay(failover)
end

-- KubeRay 1.0 writes observedGeneration; later ones leave it out (updateRayJobStatus). A job that
-- has not ended may be suspended on purpose, and at one that is finished KubeRay looks no more.
function InterpretHealth(obj, failover)
  local state = kube.get(obj, "status.jobDeploymentStatus", "")
  if kube.get(obj, "spec.suspend") and not ended[state] then
    return true
  end
  if isHealthy(obj, state, failover) then
    return isFinished(obj) or not cluster.isStale(obj) or nil
  end
  return false
end
