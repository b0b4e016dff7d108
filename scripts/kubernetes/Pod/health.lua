-- A pod that failed is not restarted: it must be created again, here or elsewhere
-- (Kubernetes 1.36, PodStatus).
function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase")
  return phase == "Succeeded" or phase == "Running" and kube.conditionTrue(obj, "Ready")
end
