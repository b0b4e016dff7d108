-- The phases that Reconcile does not leave. Where it has failed the objects are deleted after
-- it (deletionOnFailureGracePeriodDuration), and where it has succeeded after a while
-- (successTTLDuration), never the AppWrapper itself.
local final = { Succeeded = true, Failed = true }

function IsFinished(obj)
  return final[kube.get(obj, "status.phase", "")] == true
end
