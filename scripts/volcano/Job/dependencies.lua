local tasks = require("lib.tasks")

-- A claim that the job names must exist; one without a name is created by Volcano.
function GetDependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  local all = kube.list()
  tasks.each(obj, function(task)
    all = kube.concat(all, kube.getPodDependencies(task.template or {}, namespace))
  end)
  for _, volume in ipairs(kube.get(obj, "spec.volumes", {})) do
    all = kube.concat(all, kube.references("PersistentVolumeClaim", namespace, volume.volumeClaimName))
  end
  return all
end
