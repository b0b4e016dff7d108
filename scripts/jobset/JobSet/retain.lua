local jobs = require("lib.jobs")

-- What Kueue writes into the pods of a JobSet when it admits it. JobSet
-- refuses to change that while the set runs.
local function admitted(own, there)
  own.metadata = there.metadata
  if own.spec and there.spec then
    for _, field in ipairs({ "nodeSelector", "tolerations", "schedulingGates" }) do
      own.spec[field] = there.spec[field]
    end
  end
end

-- A queue of Kueue in the member starts and stops what is in it.
function Retain(desired, observed)
  local suspend = kube.get(observed, "spec.suspend")
  if suspend == nil or not kube.inQueue(desired, observed) then
    return desired
  end
  desired.spec = kube.merge(desired.spec, { suspend = suspend })
  local there = {}
  jobs.each(observed, function(replicated, job)
    there[replicated.name] = not suspend and job.template or nil
  end)
  jobs.each(desired, function(replicated, job)
    if job.template and there[replicated.name] then
      admitted(job.template, there[replicated.name])
    end
  end)
  return desired
end
