-- A pool has no Ready condition, that is its Kafka's: Strimzi reports how many nodes it has set up.
function InterpretHealth(obj)
  local status = obj.status or {}
  if not status.observedGeneration then
    return kube.get(obj, "spec.replicas") == 0
  end
  if status.observedGeneration < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  return (status.replicas or 0) >= kube.get(obj, "spec.replicas", 1) or nil
end
