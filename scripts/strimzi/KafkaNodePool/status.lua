local kept = { "clusterId", "conditions", "labelSelector", "nodeIds", "observedGeneration", "replicas", "roles" }

function ReflectStatus(obj)
  return kube.reflectStatus(obj, kept) or {}
end
