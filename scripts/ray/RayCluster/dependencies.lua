local cluster = require("lib.cluster")

function GetDependencies(obj)
  return cluster.dependencies(obj.spec, kube.get(obj, "metadata.namespace", "default"))
end
