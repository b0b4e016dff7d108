-- The pod of a Notebook.

local notebook = {}

-- A Notebook is one pod, and none while the annotation that stops it is there.
function notebook.pods(obj)
  return kube.get(obj, { "metadata", "annotations", "kubeflow-resource-stopped" }) and 0 or 1
end

function notebook.replicas(obj)
  return notebook.pods(obj), kube.accuratePodRequirements(kube.get(obj, "spec.template", {}))
end

function notebook.components(obj)
  return { kube.component("notebook", notebook.pods(obj), kube.get(obj, "spec.template")) }
end

return notebook
