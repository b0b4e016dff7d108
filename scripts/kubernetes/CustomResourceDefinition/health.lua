-- The kind is served (Kubernetes 1.36, apiextensions, establishing_controller.go). Newer
-- controllers report which generation they have observed.
function InterpretHealth(obj)
  local seen = kube.get(obj, "status.observedGeneration")
  if seen and seen ~= kube.get(obj, "metadata.generation") then
    return false, "Pending"
  end
  return kube.conditionTrue(obj, "Established")
end
