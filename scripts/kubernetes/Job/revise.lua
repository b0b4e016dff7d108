-- The pods that run at a time, and the part of the completions that goes with them. Of a
-- Job that is not divided each cluster runs all; one without completions is a work queue
-- (Karmada 1.19, divideReplicasByJobCompletions).
function ReviseReplica(obj, replicas, division)
  local spec = obj.spec or {}
  spec.parallelism = replicas
  spec.completions = kube.share(spec.completions, division)
  obj.spec = spec
  return obj
end
