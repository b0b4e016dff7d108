local cluster = require("lib.cluster")

-- The workers. Each cluster has a head beside its share of them, which is not divided;
-- a replica counts as large as the largest of all pods, the head too.
function GetReplicas(obj)
  return kube.totalReplicas(cluster.groups(obj)), kube.largestRequirements(cluster.components(obj))
end
