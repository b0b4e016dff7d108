local aggregate = require("lib.aggregate")

local counts = { "active", "failed", "ready", "succeeded", "suspended" }

-- The counts of all clusters for each job of the runtime.
local function jobsStatus(items)
  local list, known = {}, {}
  for _, item in ipairs(items) do
    for _, job in ipairs(kube.get(item, "status.jobsStatus", {})) do
      local sum = known[job.name]
      if not sum then
        sum = { name = job.name }
        known[job.name] = sum
        table.insert(list, sum)
      end
      for _, name in ipairs(counts) do
        sum[name] = (sum[name] or 0) + (job[name] or 0)
      end
    end
  end
  return kube.orNil(list)
end

function AggregateStatus(obj, items)
  local done = { type = "Complete", reason = "TrainJobComplete", message = "TrainJob is successfully completed." }
  return aggregate.into(obj, items, function(status)
    local state = aggregate.ended(obj, items, done) or aggregate.some(obj, items, "Suspended", "is suspended.")
    status.conditions = state and { state }
    status.jobsStatus = jobsStatus(items)
    for _, item in ipairs(items) do
      status.trainerStatus = kube.get(item, "status.trainerStatus", status.trainerStatus)
    end
  end)
end
