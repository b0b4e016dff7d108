local phases = {}

-- The first phase in the order given that a cluster has. A cluster that tells none
-- counts as missing, if that is given.
function phases.first(items, order, missing)
  local seen = {}
  for _, item in ipairs(items) do
    seen[kube.get(item, "status.phase", missing or "")] = true
  end
  for _, phase in ipairs(order) do
    if seen[phase] then
      return phase
    end
  end
end

return phases
