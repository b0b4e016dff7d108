function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "conditions", "executors", "lastRestartTime", "lastUpdateTime", "observedGeneration",
    "restartAttempts", "server", "startTime", "state",
  })
end
