function GetReplicas(obj)
  return kube.get(obj, "spec.replicas", 1), kube.accuratePodRequirements(kube.get(obj, "spec.template", {}))
end
