function ReviseReplica(obj, replicas)
  obj.spec = obj.spec or {}
  obj.spec.trainer = obj.spec.trainer or {}
  obj.spec.trainer.numNodes = replicas
  return obj
end
