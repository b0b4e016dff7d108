local cluster = require("lib.cluster")

function ReviseReplica(obj, replicas)
  cluster.spread(kube.get(obj, "spec.rayClusterConfig"), replicas)
  return obj
end
