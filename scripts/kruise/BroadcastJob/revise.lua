local parallelism = require("lib.parallelism")
local pods = require("lib.pods")

-- A limit that is left to the number of nodes stays unless the number changes.
function ReviseReplica(obj, replicas)
  if parallelism(obj.spec) == replicas then
    return obj
  end
  return pods.revise(obj, replicas, "parallelism")
end
