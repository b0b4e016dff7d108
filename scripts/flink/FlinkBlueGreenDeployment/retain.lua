local progress = require("lib.progress")

-- As of a FlinkDeployment: a path that a failover set is kept.
function Retain(desired, observed)
  local template = kube.get(desired, "spec.template")
  if template then
    progress.retain(template, kube.get(observed, "spec.template", {}))
  end
  return desired
end
