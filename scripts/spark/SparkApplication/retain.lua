local checkpoint = require("lib.checkpoint")

-- An application in a queue of Kueue is started and stopped there.
function Retain(desired, observed)
  local suspend = kube.get(observed, "spec.suspend")
  local queue = kube.get(desired, { "metadata", "labels", "kueue.x-k8s.io/queue-name" })
  if suspend ~= nil and queue then
    desired.spec.suspend = suspend
  end
  return checkpoint.retain(desired, observed)
end
