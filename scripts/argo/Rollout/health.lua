-- Phases of Argo Rollouts 1.0 and later. While a rollout goes on the health is unknown;
-- the controller calls one that is stuck Degraded. A pause is on purpose. After an update
-- that was aborted the old pods serve: another cluster would only try it again.
function InterpretHealth(obj)
  local status = obj.status or {}
  local generation = tonumber(status.observedGeneration)
  if generation and generation < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  if status.phase == "Degraded" then
    return status.abort == true and (status.availableReplicas or 0) >= kube.get(obj, "spec.replicas", 1)
  end
  if status.phase == "Healthy" or status.phase == "Paused" then
    return true
  end
  return nil
end
