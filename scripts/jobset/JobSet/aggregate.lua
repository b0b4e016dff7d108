local counts = { "active", "failed", "ready", "succeeded", "suspended" }
-- What is true of all clusters or not at all. The other conditions are true where they
-- are in one.
local ofAll = { Completed = true, StartupPolicyCompleted = true }

-- In how many clusters the condition holds.
local function holding(items, type)
  local n = 0
  for _, item in ipairs(items) do
    n = kube.conditionTrue(item, type) and n + 1 or n
  end
  return n
end

-- One condition for each type; the API takes no more.
local function conditions(items)
  local list, known = kube.list(), {}
  for _, condition in ipairs(kube.mergeConditions(items)) do
    local type, n = condition.type, holding(items, condition.type)
    local holds = n > 0 and (n == #items or not ofAll[type])
    if not known[type] and condition.status == (holds and "True" or "False") then
      known[type] = true
      table.insert(list, condition)
    end
  end
  return kube.orNil(list)
end

-- The Jobs of all clusters for each replicated job, sums being keyed by field and name.
local function replicatedJobs(items)
  local fields, byName, names = {}, {}, {}
  for i, item in ipairs(items) do
    byName[i] = { clusterName = item.clusterName, status = {} }
    for _, job in ipairs(kube.get(item, "status.replicatedJobsStatus", {})) do
      byName[i].status[job.name] = job
      if not names[job.name] then
        names[job.name] = true
        table.insert(names, job.name)
        for _, count in ipairs(counts) do
          table.insert(fields, { job.name, count })
        end
      end
    end
  end
  local sums, list = kube.sumStatus(byName, fields), kube.list()
  for _, name in ipairs(names) do
    table.insert(list, kube.merge(sums[name], { name = name }))
  end
  return kube.orNil(list)
end

local function terminalState(items)
  if holding(items, "Failed") > 0 then
    return "Failed"
  end
  return holding(items, "Completed") == #items and "Completed" or nil
end

function AggregateStatus(obj, items)
  if #kube.reported(items) > 0 then
    obj.status = kube.sumStatus(items, { "restarts", "restartsCountTowardsMax" })
    obj.status.conditions = conditions(items)
    obj.status.replicatedJobsStatus = replicatedJobs(items)
    obj.status.terminalState = terminalState(items)
  end
  return obj
end
