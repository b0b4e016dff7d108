-- Phases of Argo Workflows 3.4 and later. A Workflow has none before the controller has
-- observed it.
local healthy = { Succeeded = true, Running = true, Pending = true }

function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase", "")
  if phase == "Failed" or phase == "Error" then
    return params.failedRuns == "healthy"
  end
  return healthy[phase]
end
