-- As kubectl rollout status: the controller has seen the spec, and all replicas are
-- of it and available (Kubernetes 1.36, DeploymentStatus).
function InterpretHealth(obj)
  local status = obj.status or {}
  if (status.observedGeneration or 0) ~= (obj.metadata.generation or 0) then
    return false
  end
  local wanted = kube.get(obj, "spec.replicas", 1)
  local updated = status.updatedReplicas or 0
  return updated >= wanted and (status.availableReplicas or 0) >= updated
end
