local retain = require("lib.retain")

-- An id that a failover set is kept, and one that a user set in the member, where a job
-- of InteractiveMode waits for it.
function Retain(desired, observed)
  local id = kube.get(observed, "spec.jobId", "")
  if id ~= "" and kube.get(desired, "spec.jobId", "") == "" then
    desired.spec.jobId = id
  end
  return retain.queue(desired, observed, "spec.rayClusterSpec")
end
