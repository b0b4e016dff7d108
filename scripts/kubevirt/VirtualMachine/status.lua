-- Generations, requests and revisions of the member's own stay there: observedGeneration
-- is that of the start of the instance.
local fields = {
  "conditions", "created", "printableStatus", "ready", "restoreInProgress", "runStrategy",
  "snapshotInProgress", "startFailure",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, fields) or {}
end
