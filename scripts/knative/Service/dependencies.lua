local pods = require("lib.pods")

function GetDependencies(obj)
  return kube.getPodDependencies(pods.template(obj), kube.get(obj, "metadata.namespace"))
end
