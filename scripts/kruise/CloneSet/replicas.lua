local pods = require("lib.pods")

function GetReplicas(obj)
  return pods.replicas(obj, kube.get(obj, "spec.replicas", 1))
end
