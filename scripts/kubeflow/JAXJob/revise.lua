-- A JAXJob has pods of one type only, so their number is that of the job.
function ReviseReplica(obj, replicas)
  obj.spec = obj.spec or {}
  local specs = obj.spec.jaxReplicaSpecs or {}
  obj.spec.jaxReplicaSpecs = specs
  specs.Worker = specs.Worker or {}
  specs.Worker.replicas = replicas
  return obj
end
