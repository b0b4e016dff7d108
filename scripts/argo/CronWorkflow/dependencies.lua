local references = require("lib.references")

function GetDependencies(obj)
  return references(kube.get(obj, "spec.workflowSpec", {}), kube.get(obj, "metadata.namespace", "default"))
end
