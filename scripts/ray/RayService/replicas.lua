local cluster = require("lib.cluster")

-- The workers. Each cluster has a head beside its share of them, which is not divided;
-- a replica counts as large as the largest of all pods, the head too.
function GetReplicas(obj)
  local spec = kube.get(obj, "spec.rayClusterConfig")
  return kube.totalReplicas(cluster.groups(spec)), kube.largestRequirements(cluster.components(spec))
end
