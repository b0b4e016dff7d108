local checkpoint = require("lib.checkpoint")

function RestoreState(desired, state)
  return checkpoint.restore(desired, kube.get(desired, "spec.template"), state)
end
