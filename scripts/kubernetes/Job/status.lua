local kept = { "active", "completionTime", "conditions", "failed", "startTime", "succeeded" }

function ReflectStatus(obj)
  return obj.status and kube.pick(obj.status, kept)
end
