local routes = { "http", "tcp", "tls" }

local function same(own, there)
  local a, b = own.destination or {}, there.destination or {}
  return a.host == b.host and a.subset == b.subset
end

-- Weights that the template does not name, or that it leaves to the member, are those that a
-- controller there has written, such as Argo Rollouts during a canary
-- (rollout/trafficrouting/istio, reconcileVirtualService). Destinations go together by the
-- places of route and destination and by host and subset.
function Retain(desired, observed)
  local leaves = kube.get(desired, { "metadata", "annotations", "interpreter.dragoman.io/retain-weights" }) == "true"
  for _, kind in ipairs(routes) do
    local others = kube.get(observed, { "spec", kind }, {})
    for i, route in ipairs(kube.get(desired, { "spec", kind }, {})) do
      local there = kube.get(others[i] or {}, "route", {})
      for k, target in ipairs(route.route or {}) do
        if (leaves or target.weight == nil) and there[k] and same(target, there[k]) then
          target.weight = there[k].weight
        end
      end
    end
  end
  return desired
end
