local pods = require("lib.pods")

-- Those of one workflow.
function GetComponents(obj)
  return { pods.component(kube.get(obj, "spec.workflowSpec", {})) }
end
