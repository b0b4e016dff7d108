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

-- The state of the containers of all clusters, or nil.
local function containers(items, field)
  local all = {}
  for _, item in ipairs(items) do
    for _, c in ipairs(kube.get(item, { "status", field }, {})) do
      table.insert(all, { name = c.name, ready = c.ready, restartCount = c.restartCount, state = c.state })
    end
  end
  return kube.orNil(all)
end

-- Conditions that are True while something is still to come, or the pod is about to go.
local abnormal = { "DisruptionTarget", "PodResizeInProgress", "PodResizePending" }

-- One condition of each type, of the pods that still run where some do. The generation that one is about is
-- that of a member's pod.
local function conditions(items)
  local list, running = kube.list(), {}
  for _, item in ipairs(items) do
    if kube.get(item, "status.phase") ~= "Succeeded" then
      table.insert(running, item)
    end
  end
  for _, condition in ipairs(kube.worstConditions(next(running) and running or items, abnormal)) do
    table.insert(list, kube.pick(condition, { "type", "status", "reason", "message", "lastTransitionTime" }))
  end
  return kube.orNil(list)
end

function AggregateStatus(obj, items)
  if next(items) then
    obj.status = {
      phase = phase(items),
      containerStatuses = containers(items, "containerStatuses"),
      initContainerStatuses = containers(items, "initContainerStatuses"),
      conditions = conditions(items),
    }
  end
  return obj
end
