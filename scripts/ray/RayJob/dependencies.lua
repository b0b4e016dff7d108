local cluster = require("lib.cluster")

-- What pods refer to, and the cluster that the job is to run in.
function GetDependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  local all = kube.concat(
    cluster.dependencies(obj),
    kube.getPodDependencies(kube.get(obj, "spec.submitterPodTemplate", {}), namespace))
  local name = kube.get(obj, { "spec", "clusterSelector", "ray.io/cluster" })
  if name then
    table.insert(all, { apiVersion = obj.apiVersion, kind = "RayCluster", namespace = namespace, name = name })
  end
  return all
end
