function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "conditions", "controlledResources", "failed", "minAvailable", "pending", "retryCount",
    "running", "runningDuration", "state", "succeeded", "taskStatusCount", "terminating",
    "unknown", "version",
  })
end
