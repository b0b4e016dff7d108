local job = require("lib.job")

function GetComponents(obj)
  return job.components(kube.get(obj, "spec.jaxReplicaSpecs"))
end
