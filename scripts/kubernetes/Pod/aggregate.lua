-- The phase of all pods is that of the one that is worst off.
local precedence = { "Failed", "Pending", "Running", "Succeeded" }

local function phase(items)
  local present = {}
  for _, item in ipairs(items) do
    present[kube.get(item, "status.phase", item.status and "" or "Pending")] = true
  end
  for _, name in ipairs(precedence) do
    if present[name] then
      return name
    end
  end
end

-- The pods that still run, or all where none does.
local function running(items)
  local all = {}
  for _, item in ipairs(items) do
    if kube.get(item, "status.phase") ~= "Succeeded" then
      table.insert(all, item)
    end
  end
  return next(all) and all or items
end

-- How well off a container in a state is, worst first, in the order of the phases. One without a state waits.
local function rank(state)
  if kube.get(state, "terminated") then
    return kube.get(state, "terminated.exitCode", 0) == 0 and 4 or 1
  end
  return kube.get(state, "running") and 3 or 2
end

-- Adds what one cluster reports of a container to what others do.
local function add(status, c)
  status.ready = status.ready and c.ready
  if c.started ~= nil then
    status.started = c.started and status.started ~= false
  end
  status.restartCount = status.restartCount + kube.get(c, "restartCount", 0)
  if rank(c.state) < rank(status.state) then
    status.state = c.state
  end
end

-- One status for each container by its name, or nil: with the state that is worst off and the restarts of all
-- clusters, and ready where it is so in each of them. The API server lets no container of a pod to run
-- once leave the state terminated, so two of one name would never be written again.
local function containers(items, field)
  local list, known, reports = kube.list(), {}, {}
  for _, item in ipairs(items) do
    for _, c in ipairs(kube.get(item, { "status", field }, {})) do
      local name = c.name or ""
      if known[name] then
        add(known[name], c)
      else
        known[name] = { name = c.name, ready = c.ready, started = c.started, restartCount = kube.get(c, "restartCount", 0), state = c.state }
        table.insert(list, known[name])
      end
      reports[name] = (reports[name] or 0) + 1
    end
  end
  for _, status in ipairs(list) do
    status.ready = status.ready and reports[status.name or ""] == #items
  end
  return kube.orNil(list)
end

-- Conditions that are True while something is still to come, or the pod is about to go.
local abnormal = { "DisruptionTarget", "PodResizeInProgress", "PodResizePending" }

-- One condition of each type. The generation that one is about is that of a member's pod.
local function conditions(items)
  local list = kube.list()
  for _, condition in ipairs(kube.worstConditions(items, abnormal)) do
    table.insert(list, kube.pick(condition, { "type", "status", "reason", "message", "lastTransitionTime" }))
  end
  return kube.orNil(list)
end

function AggregateStatus(obj, items)
  if next(items) then
    local left = running(items)
    obj.status = {
      phase = phase(items),
      containerStatuses = containers(left, "containerStatuses"),
      initContainerStatuses = containers(left, "initContainerStatuses"),
      conditions = conditions(left),
    }
  end
  return obj
end
