local application = require("lib.application")

function GetDependencies(obj)
  return application.dependencies(obj.spec, kube.get(obj, "metadata.namespace", "default"))
end
