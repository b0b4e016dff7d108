local cluster = require("lib.cluster")

-- A job for a cluster that is there already has none. The pod that submits the job is
-- small and soon gone; it does not count.
function GetComponents(obj)
  return cluster.components(kube.get(obj, "spec.rayClusterSpec"))
end
