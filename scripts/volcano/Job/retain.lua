-- Volcano sets defaults in a new job, and then refuses an update in which other fields than
-- replicas and minAvailable differ. So the defaults are kept.

local function default(own, there, fields)
  for _, field in ipairs(fields) do
    if own[field] == nil then
      own[field] = there[field]
    end
  end
end

-- Where minAvailable follows replicas it keeps following them.
local function defaultTask(own, there)
  default(own, there, { "name", "maxRetry" })
  if own.minAvailable == nil and there.minAvailable then
    own.minAvailable = there.minAvailable == there.replicas and own.replicas or there.minAvailable
  end
  local pod = kube.get(own, "template.spec")
  if pod and pod.hostNetwork then
    default(pod, kube.get(there, "template.spec", {}), { "dnsPolicy" })
  end
end

-- Items of two lists go together by their place: none may be added or removed.
local function defaultEach(own, there, defaultOne)
  for i, item in ipairs(own or {}) do
    defaultOne(item, there and there[i] or {})
  end
end

function Retain(desired, observed)
  local own, there = desired.spec, observed.spec
  if not own or not there then
    return desired
  end
  default(own, there, { "maxRetry", "queue", "schedulerName" })
  defaultEach(own.tasks, there.tasks, defaultTask)
  defaultEach(own.volumes, there.volumes, function(volume, named)
    default(volume, named, { "volumeClaimName" })
  end)
  if own.plugins and there.plugins then
    default(own.plugins, there.plugins, { "ssh", "svc" })
  end
  if not own.minAvailable and there.minAvailable then
    own.minAvailable = 0
    for _, task in ipairs(own.tasks or {}) do
      own.minAvailable = own.minAvailable + (task.minAvailable or 0)
    end
  end
  return desired
end
