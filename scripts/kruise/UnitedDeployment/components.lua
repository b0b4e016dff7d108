local pods = require("lib.pods")
local subsets = require("lib.subsets")

function GetComponents(obj)
  return pods.components(obj, subsets.replicas(obj))
end
