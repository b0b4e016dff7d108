local pods = require("lib.pods")

function GetReplicas(obj)
  return pods.count(obj), kube.accuratePodRequirements(pods.template(obj))
end
