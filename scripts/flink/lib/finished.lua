-- The end of a job in the status of both kinds.

local finished = {}

-- The lifecycle states in which the operator has nothing more in hand. While it suspends,
-- upgrades or rolls back a job, the state of the job may be FINISHED too, since a job that
-- is stopped with a savepoint ends so (operator 1.7 to 1.14, ResourceLifecycleState).
local settled = { DEPLOYED = true, ROLLED_BACK = true, STABLE = true }

-- Reports whether the job came to the end of its input. Another end is none for the
-- operator: it can restart a job that failed, and resume one that was suspended.
function finished.job(obj)
  return kube.get(obj, "status.jobStatus.state") == "FINISHED" and settled[kube.get(obj, "status.lifecycleState", "")] == true
end

return finished
