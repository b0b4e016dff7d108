local phases = {}

-- The first phase in the order given that a cluster has. A cluster without one
-- counts as missing, where that is given.
function phases.first(items, order, missing)
  local present = {}
  for _, item in ipairs(items) do
    present[kube.get(item, "status.phase", missing or "")] = true
  end
  for _, phase in ipairs(order) do
    if present[phase] then
      return phase
    end
  end
end

return phases
