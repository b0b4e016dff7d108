local trainjob = require("lib.trainjob")

function GetReplicas(obj)
  return kube.get(obj, "spec.trainer.numNodes", 1), kube.accuratePodRequirements(trainjob.template(obj))
end
