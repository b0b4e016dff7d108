function GetDependencies(obj)
  return kube.getPodDependencies(kube.get(obj, "spec.template", {}), kube.get(obj, "metadata.namespace"))
end
