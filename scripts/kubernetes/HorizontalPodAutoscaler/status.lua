function ReflectStatus(obj)
  return obj.status and kube.pick(obj.status, { "currentReplicas", "desiredReplicas" })
end
