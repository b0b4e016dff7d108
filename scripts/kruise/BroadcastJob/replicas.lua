local parallelism = require("lib.parallelism")
local pods = require("lib.pods")

function GetReplicas(obj)
  return pods.replicas(obj, parallelism(obj.spec))
end
