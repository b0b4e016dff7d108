local credentials = require("lib.credentials")

function GetDependencies(obj)
  return credentials(kube.get(obj, "spec.configuration", {}), kube.get(obj, "metadata.namespace", "default"))
end
