-- States of the operator 1.14 (FlinkBlueGreenDeploymentState, BlueGreenDeploymentService).
-- jobStatus.state is RUNNING, RECONCILING while one of the two is deployed, FAILING once that
-- was given up, or SUSPENDED. There is no observedGeneration.
local first = { INITIALIZING_BLUE = true }
local transitions = { TRANSITIONING_TO_BLUE = true, TRANSITIONING_TO_GREEN = true }

-- While a second one is deployed the first one runs on. After a transition that was given up
-- it runs on too, or was the reason: which of the two only its FlinkDeployment shows.
function InterpretHealth(obj)
  local state, phase = kube.get(obj, "status.jobStatus.state"), kube.get(obj, "status.blueGreenState", "")
  if kube.get(obj, "spec.template.spec.job.state") == "suspended" then
    return true
  end
  if state == "FAILING" and not first[phase] then
    return nil
  end
  return state == "RUNNING" or state == "RECONCILING" and transitions[phase] == true
end
