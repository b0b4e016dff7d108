-- Before the disruption controller has counted the pods it can not be told.
function InterpretHealth(obj)
  local wanted = kube.get(obj, "status.desiredHealthy")
  return wanted and kube.get(obj, "status.currentHealthy", 0) >= wanted
end
