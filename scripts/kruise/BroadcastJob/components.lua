local parallelism = require("lib.parallelism")
local pods = require("lib.pods")

function GetComponents(obj)
  return pods.components(obj, parallelism(obj.spec))
end
