local pods = require("lib.pods")

function GetReplicas(obj)
  return pods.replicas(obj)
end
