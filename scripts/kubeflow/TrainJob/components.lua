local trainjob = require("lib.trainjob")

function GetComponents(obj)
  return { kube.component("node", kube.get(obj, "spec.trainer.numNodes"), trainjob.template(obj)) }
end
