-- Volcano fills in what a new job does not say, and then refuses an update in which other
-- fields than replicas and minAvailable differ. So what it has filled in stays.

local function fill(own, there, fields)
  for _, field in ipairs(fields) do
    if own[field] == nil then
      own[field] = there[field]
    end
  end
end

-- Where minAvailable follows replicas it goes on to follow them.
local function fillTask(own, there)
  fill(own, there, { "name", "maxRetry" })
  if own.minAvailable == nil and there.minAvailable then
    own.minAvailable = there.minAvailable == there.replicas and own.replicas or there.minAvailable
  end
  local pod = kube.get(own, "template.spec")
  if pod and pod.hostNetwork then
    fill(pod, kube.get(there, "template.spec", {}), { "dnsPolicy" })
  end
end

-- Items of two lists go together by their place: none may be added or removed.
local function fillEach(own, there, fillOne)
  for i, item in ipairs(own or {}) do
    fillOne(item, there and there[i] or {})
  end
end

function Retain(desired, observed)
  local own, there = desired.spec, observed.spec
  if not own or not there then
    return desired
  end
  fill(own, there, { "maxRetry", "queue", "schedulerName" })
  fillEach(own.tasks, there.tasks, fillTask)
  fillEach(own.volumes, there.volumes, function(volume, named)
    fill(volume, named, { "volumeClaimName" })
  end)
  if own.plugins and there.plugins then
    fill(own.plugins, there.plugins, { "ssh", "svc" })
  end
  if not own.minAvailable and there.minAvailable then
    own.minAvailable = 0
    for _, task in ipairs(own.tasks or {}) do
      own.minAvailable = own.minAvailable + (task.minAvailable or 0)
    end
  end
  return desired
end
