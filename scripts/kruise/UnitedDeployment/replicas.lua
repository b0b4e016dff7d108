local pods = require("lib.pods")
local subsets = require("lib.subsets")

function GetReplicas(obj)
  return pods.replicas(obj, subsets.replicas(obj))
end
