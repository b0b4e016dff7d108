-- All replicas serve; nothing is known before the controller reports.
function InterpretHealth(obj)
  local ready = kube.get(obj, "status.readyReplicas")
  if ready == nil then
    return nil
  end
  return ready >= (kube.get(obj, "spec.replicas") or 1)
end
