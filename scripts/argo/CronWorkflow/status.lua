local kept = { "active", "conditions", "failed", "lastScheduledTime", "phase", "succeeded" }

function ReflectStatus(obj)
  return obj.status and kube.pick(obj.status, kept)
end
