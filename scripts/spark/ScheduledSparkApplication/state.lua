local checkpoint = require("lib.checkpoint")

function GetState(obj)
  return checkpoint.state(kube.get(obj, "spec.template"))
end
