local conditions = require("lib.conditions")

-- A pod that failed is not started again: it must be made anew, here or elsewhere
-- (Kubernetes 1.36, PodStatus).
function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase")
  return phase == "Succeeded" or phase == "Running" and conditions.held(obj, "Ready") ~= nil
end
