local cluster = require("lib.cluster")

function GetComponents(obj)
  return cluster.components(obj.spec)
end
