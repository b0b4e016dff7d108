local parallelism = require("lib.parallelism")
local pods = require("lib.pods")

-- A limit that is left to the number of nodes stays, where it is not to be another.
function ReviseReplica(obj, replicas)
  if parallelism(obj.spec) == replicas then
    return obj
  end
  return pods.revise(obj, "parallelism", replicas)
end
