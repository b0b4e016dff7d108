local pods = require("lib.pods")

-- The patch of a subset goes over the pod template, and may refer to more.
function GetDependencies(obj)
  local all = pods.dependencies(obj)
  for _, subset in ipairs(kube.get(obj, "spec.topology.subsets", {})) do
    all = kube.concat(all, kube.getPodDependencies(subset.patch or {}, kube.get(obj, "metadata.namespace")))
  end
  return all
end
