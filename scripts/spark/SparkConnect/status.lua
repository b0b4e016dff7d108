local kept = {
  "conditions", "executors", "lastRestartTime", "lastUpdateTime", "observedGeneration", "restartAttempts", "server",
  "startTime", "state",
}

-- The generations go along where the operator says which one it has observed.
function ReflectStatus(obj)
  if kube.get(obj, "status.observedGeneration") then
    return kube.reflectStatus(obj, kept)
  end
  return kube.pick(obj.status, kept)
end
