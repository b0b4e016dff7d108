-- Before the disruption controller has counted the pods it cannot be told.
function InterpretHealth(obj)
  local wanted = kube.get(obj, "status.desiredHealthy")
  return wanted and kube.get(obj, "status.currentHealthy", 0) >= wanted
end
