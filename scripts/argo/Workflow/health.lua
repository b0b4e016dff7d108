-- Phases of Argo Workflows 3.4 and later. A Workflow has none before the controller has
-- observed it. One that is suspended is Running.
local healthy = { Succeeded = true, Running = true, Pending = true }

function InterpretHealth(obj, failover)
  local phase = kube.get(obj, "status.phase", "")
  if phase == "" then
    return kube.get(obj, "spec.suspend") == true
  end
  if phase == "Failed" or phase == "Error" then
    return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
  end
  return healthy[phase]
end
