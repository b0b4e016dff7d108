-- Ends of a job other than success; see the parameter failedRuns.
local ended = { Complete = true, Failed = true, ValidationFailed = true }

-- A job on its way is not healthy yet, as Karmada has it, unless it is suspended on
-- purpose.
function InterpretHealth(obj)
  local state = kube.get(obj, "status.jobDeploymentStatus")
  if state == "Running" or (state == "Complete" and obj.status.jobStatus == "SUCCEEDED") then
    return true
  end
  if state == "Suspended" or state == "Suspending" then
    return kube.get(obj, "spec.suspend", false)
  end
  return params.failedRuns == "healthy" and ended[state] == true
end
