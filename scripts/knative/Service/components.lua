local pods = require("lib.pods")

function GetComponents(obj)
  return { kube.component("pod", pods.count(obj), pods.template(obj)) }
end
