local pods = require("lib.pods")

function GetComponents(obj)
  return pods.components(obj, kube.get(obj, "spec.replicas", 1))
end
