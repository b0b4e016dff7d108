-- The pods that run at a time, and the part of the completions that goes with them. Of a
-- Job that is not divided each cluster runs all; one without completions is a work queue
-- (Karmada 1.19, divideReplicasByJobCompletions). The completions of a Job that exists cannot
-- change, unless it is indexed and runs all at once, so they are divided by the shares with which
-- each cluster got its part.
function ReviseReplica(obj, replicas, division)
  local spec = obj.spec or {}
  local elastic = spec.completionMode == "Indexed" and spec.completions == spec.parallelism
  local parts = not elastic and division and division.fixed or division
  spec.parallelism = replicas
  spec.completions = kube.share(spec.completions, parts)
  obj.spec = spec
  return obj
end
