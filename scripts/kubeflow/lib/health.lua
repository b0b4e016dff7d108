-- The health of jobs with the condition Failed.

local health = {}

-- Kinds that are unhealthy before they have conditions, and with failedRuns=kind when they
-- failed, as Karmada has it. Of the others the former is unknown, the latter healthy.
local strict = { MPIJob = true, PyTorchJob = true, TFJob = true }

-- A job is healthy while it has conditions and Failed is not True.
function health.job(obj)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    return strict[obj.kind] and false
  end
  if not kube.conditionTrue(obj, "Failed") then
    return true
  end
  if params.failedRuns == "kind" then
    return not strict[obj.kind]
  end
  return params.failedRuns == "healthy"
end

return health
