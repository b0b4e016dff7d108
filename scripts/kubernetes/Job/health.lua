local runs = require("lib.runs")

-- Reports whether one of these conditions is true.
local function any(obj, types)
  for _, type in ipairs(types) do
    if kube.conditionTrue(obj, type) then
      return true
    end
  end
  return false
end

-- A Job that runs, is not to run now, or has ended well is healthy. Conditions and counts:
-- Kubernetes 1.24 to 1.36, JobStatus.
function InterpretHealth(obj, failover)
  if any(obj, { "Failed", "FailureTarget" }) then
    return runs.failed(failover)
  end
  if any(obj, { "Complete", "SuccessCriteriaMet", "Suspended" }) or kube.get(obj, "spec.suspend") then
    return true
  end
  if kube.get(obj, "spec.parallelism") == 0 then
    return true
  end
  local status = obj.status or {}
  return status.startTime ~= nil and (status.ready or status.active or 0) > 0
end
