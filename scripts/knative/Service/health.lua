-- Ready sums up the conditions of the configuration and the route (Knative 1.0 to 1.19),
-- also of a service that was scaled to zero. It is Unknown while a revision or the route
-- comes up, and is about the generation that was observed.
function InterpretHealth(obj)
  local ready = kube.condition(obj, "Ready")
  local observed = kube.get(obj, "status.observedGeneration", 0)
  if not ready then
    return false
  end
  if ready.status == "Unknown" or observed < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  return ready.status == "True"
end
