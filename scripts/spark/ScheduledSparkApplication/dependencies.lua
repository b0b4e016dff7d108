local application = require("lib.application")

function GetDependencies(obj)
  return application.dependencies(kube.get(obj, "spec.template"), kube.get(obj, "metadata.namespace", "default"))
end
