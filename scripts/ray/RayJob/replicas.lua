local cluster = require("lib.cluster")

function GetReplicas(obj)
  local components = cluster.components(kube.get(obj, "spec.rayClusterSpec"))
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
