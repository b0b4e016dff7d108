local application = require("lib.application")

function GetReplicas(obj)
  local components = application.components(kube.get(obj, "spec.template"))
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
