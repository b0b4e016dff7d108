-- Whether an application serves while it is updated: at least one pod is available, and no more
-- of them are not than the update may take down at a time.

-- How many pods that is: a number, or a share of the desired ones, rounded up as for a
-- StatefulSet and a DaemonSet (Kubernetes 1.36, GetScaledValueFromIntOrPercent).
local function most(value, desired)
  local percent = type(value) == "string" and tonumber(string.match(value, "^(%d+)%%$"))
  if percent then
    value = math.ceil(percent * desired / 100)
  end
  return math.max(tonumber(value) or 1, 1)
end

local function serving(obj, desired, available)
  local down = most(kube.get(obj, "spec.updateStrategy.rollingUpdate.maxUnavailable"), desired)
  return available >= math.max(desired - down, 1)
end

return serving
