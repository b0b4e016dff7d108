local kept = {
  "conditions", "currentHealthy", "desiredHealthy", "disruptedPods", "disruptionsAllowed", "expectedPods",
}

-- The generations go along where the controller says which one it has observed.
function ReflectStatus(obj)
  if kube.get(obj, "status.observedGeneration") then
    return kube.reflectStatus(obj, kube.concat(kept, { "observedGeneration" }))
  end
  return obj.status and kube.pick(obj.status, kept)
end
