local cluster = require("lib.cluster")

function GetReplicas(obj)
  local components = cluster.components(obj.spec)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
