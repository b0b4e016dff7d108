-- A Notebook is one pod, and none while the annotation that stops it is there.
return function(obj)
  return kube.get(obj, { "metadata", "annotations", "kubeflow-resource-stopped" }) and 0 or 1
end
