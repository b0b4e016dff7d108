local pods = require("lib.pods")

-- Ready sums up predictor and ingress (KServe 0.11 to 0.16, conditionSet). It is False with the
-- reason Stopped where the service was stopped on purpose, and Unknown while a rollout goes on.
function InterpretHealth(obj)
  if pods.stopped(obj) or kube.conditionTrue(obj, "Stopped") then
    return true
  end
  local ready = kube.condition(obj, "Ready")
  if not ready then
    return false
  end
  local generation = kube.get(obj, "metadata.generation", 0)
  if ready.status == "Unknown" or kube.get(obj, "status.observedGeneration", generation) < generation then
    return nil
  end
  return ready.status == "True"
end
