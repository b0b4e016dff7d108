local job = require("lib.job")

function GetReplicas(obj)
  return job.replicas(kube.get(obj, "spec.xgbReplicaSpecs"))
end
