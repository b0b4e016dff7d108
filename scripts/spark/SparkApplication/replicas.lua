local application = require("lib.application")

function GetReplicas(obj)
  local components = application.components(obj.spec)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
