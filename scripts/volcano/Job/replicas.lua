local tasks = require("lib.tasks")

function GetReplicas(obj)
  local components = tasks.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
