local pods = require("lib.pods")

function ReviseReplica(obj, replicas)
  return pods.scale(obj, "parallelism", replicas)
end
