local progress = require("lib.progress")

-- The operator takes the path of the template for the first deployment.
function RestoreState(desired, state)
  local template = kube.get(desired, "spec.template")
  if template then
    progress.restore(template, state)
  end
  return desired
end
