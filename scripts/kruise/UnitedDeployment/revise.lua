local pods = require("lib.pods")
local subsets = require("lib.subsets")

function ReviseReplica(obj, replicas)
  subsets.fit(obj, replicas)
  return pods.revise(obj, replicas)
end
