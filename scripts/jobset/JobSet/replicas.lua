local jobs = require("lib.jobs")

-- All pods, each as large as the largest.
function GetReplicas(obj)
  local components = jobs.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end
