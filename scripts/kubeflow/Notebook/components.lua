local pods = require("lib.notebook")

function GetComponents(obj)
  return { kube.component("notebook", pods(obj), kube.get(obj, "spec.template")) }
end
