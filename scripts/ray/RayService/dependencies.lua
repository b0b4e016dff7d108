local cluster = require("lib.cluster")

function GetDependencies(obj)
  return cluster.dependencies(kube.get(obj, "spec.rayClusterConfig"), kube.get(obj, "metadata.namespace", "default"))
end
