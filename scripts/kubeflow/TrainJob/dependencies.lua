local trainjob = require("lib.trainjob")

-- A ClusterTrainingRuntime comes with the trainer of each cluster; one of the namespace
-- goes where the job goes.
function GetDependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace")
  local runtime = kube.get(obj, "spec.runtimeRef", {})
  local all = kube.list()
  if runtime.kind == "TrainingRuntime" then
    local reference = { apiVersion = obj.apiVersion, kind = runtime.kind, name = runtime.name }
    reference.namespace = namespace
    table.insert(all, reference)
  end
  for _, pod in ipairs(trainjob.pods(obj)) do
    all = kube.concat(all, kube.getPodDependencies({ spec = pod }, namespace))
  end
  return all
end
