function ReflectStatus(obj)
  return kube.pick(obj.status, { "conditions", "containerState", "readyReplicas" })
end
