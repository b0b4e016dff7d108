function ReviseReplica(obj, replicas)
  obj.spec = kube.merge(obj.spec, { replicas = replicas })
  return obj
end
