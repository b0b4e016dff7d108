local runs = require("lib.runs")

-- A pod that failed is not restarted: it must be created again, here or elsewhere
-- (Kubernetes 1.36, PodStatus). One that is to run once has failed for good. Before its gates
-- are open a pod is not to run.
function InterpretHealth(obj, failover)
  local phase = kube.get(obj, "status.phase", "Pending")
  if phase == "Failed" then
    return kube.get(obj, "spec.restartPolicy", "Always") ~= "Always" and runs.failed(failover)
  end
  if phase == "Pending" and #kube.get(obj, "spec.schedulingGates", {}) > 0 then
    return true
  end
  return phase == "Succeeded" or phase == "Running" and kube.conditionTrue(obj, "Ready")
end
