local pods = require("lib.pods")

function ReviseReplica(obj, replicas)
  return pods.revise(obj, "replicas", replicas)
end
