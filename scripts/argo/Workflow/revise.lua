function ReviseReplica(obj, replicas)
  obj.spec = obj.spec or {}
  obj.spec.parallelism = replicas
  return obj
end
