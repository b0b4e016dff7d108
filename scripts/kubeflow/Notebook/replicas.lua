local pods = require("lib.notebook")

function GetReplicas(obj)
  return pods(obj), kube.accuratePodRequirements(kube.get(obj, "spec.template", {}))
end
