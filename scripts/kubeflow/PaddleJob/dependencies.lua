local job = require("lib.job")

function GetDependencies(obj)
  return job.dependencies(obj, kube.get(obj, "spec.paddleReplicaSpecs"))
end
