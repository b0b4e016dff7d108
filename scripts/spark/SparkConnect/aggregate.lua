local worst = require("lib.worst")

-- What counts first where there is a server in several clusters. Empty is one that has not
-- started.
local rank = { Failed = 1, NotReady = 2, [""] = 3, Ready = 4, Completed = 5 }

local function rankOf(status)
  return rank[status.state or ""] or rank.NotReady
end

-- Clients connect to one server: the status is that of the cluster where it is worst.
function AggregateStatus(obj, items)
  local first = worst(items, rankOf)
  if first then
    local observed = kube.observedGeneration(obj, items)
    obj.status = kube.merge(first.status, { observedGeneration = observed })
    obj.status.generation, obj.status.resourceTemplateGeneration = nil, nil
  end
  return obj
end
