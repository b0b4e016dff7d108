-- The controller leaves observedGeneration out; where there is one the generations go along.
function ReflectStatus(obj)
  local kept = { "currentReplicas", "desiredReplicas", "conditions" }
  if kube.get(obj, "status.observedGeneration") then
    return kube.reflectStatus(obj, kube.concat(kept, { "observedGeneration" }))
  end
  return obj.status and kube.pick(obj.status, kept)
end
