local rollout = require("lib.rollout")
local subsets = require("lib.subsets")

-- Ready pods count, since there is no number of available ones. Where it asks for none, nothing
-- need be.
function InterpretHealth(obj)
  local status = obj.status or {}
  if kube.get(obj, "spec.replicas") == 0 then
    return true
  end
  if kube.conditionTrue(obj, "SubsetFailure") then
    return false
  end
  return rollout.done(obj, subsets.replicas(obj), status.updatedReplicas, status.readyReplicas)
end
