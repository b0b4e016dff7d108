local checkpoint = require("lib.checkpoint")

function Retain(desired, observed)
  return checkpoint.retain(desired, kube.get(desired, "spec.template"), observed)
end
