local pods = require("lib.pods")

-- All pods as one number, each as large as the largest component needs. Used where
-- components are not asked for.
function GetReplicas(obj)
  local components = pods.components(obj)
  local needs = kube.largestRequirements(components) or {}
  needs.namespace = kube.get(obj, "metadata.namespace")
  return kube.totalReplicas(components), needs
end
