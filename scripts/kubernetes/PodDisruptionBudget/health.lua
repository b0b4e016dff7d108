-- Unknown until the disruption controller has counted the pods.
function InterpretHealth(obj)
  local desired = kube.get(obj, "status.desiredHealthy")
  return desired and kube.get(obj, "status.currentHealthy", 0) >= desired
end
