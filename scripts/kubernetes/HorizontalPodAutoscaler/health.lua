-- The controller can read metrics and scale; v1 has no conditions (Kubernetes 1.24 to 1.36,
-- controller/podautoscaler, which leaves observedGeneration out). A target with no replicas
-- is not scaled on purpose.
function InterpretHealth(obj)
  if obj.apiVersion == "autoscaling/v1" then
    return nil
  end
  local seen = kube.get(obj, "status.observedGeneration")
  if seen and seen ~= kube.get(obj, "metadata.generation") then
    return false, "Pending"
  end
  local active = kube.condition(obj, "ScalingActive") or {}
  return kube.conditionTrue(obj, "AbleToScale") and (active.status ~= "False" or active.reason == "ScalingDisabled")
end
