local pods = require("lib.pods")

function GetReplicas(obj)
  local pod = pods.component(obj.spec or {})
  return pod.replicas, pod.replicaRequirements
end
