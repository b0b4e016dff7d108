-- Addresses and ports that the member cluster allots.
local allotted = { "clusterIP", "clusterIPs" }

function Retain(desired, observed)
  local spec = observed.spec or {}
  desired.spec = desired.spec or {}
  for _, name in ipairs(allotted) do
    if desired.spec[name] == nil and spec[name] then
      desired.spec[name] = spec[name]
    end
  end
  if (spec.healthCheckNodePort or 0) > 0 then
    desired.spec.healthCheckNodePort = spec.healthCheckNodePort
  end
  return desired
end
