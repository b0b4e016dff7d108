local kept = { "active", "completionTime", "conditions", "desired", "failed", "phase", "startTime", "succeeded" }

function ReflectStatus(obj)
  return kube.pick(obj.status, kept)
end
