-- Routes have one CommonRouteSpec and one RouteStatus.

local conditions = require("lib.conditions")

local route = {}

local required = { "Accepted", "ResolvedRefs" }

-- Each parent of a route has conditions of its own. Those of an older generation may be of a
-- parent that the route no longer names; they say nothing. A route that names no parent is
-- not attached to any.
function route.health(obj)
  local parents, seen = kube.get(obj, "status.parents", {}), false
  if #kube.get(obj, "spec.parentRefs", {}) == 0 then
    return true
  end
  for _, parent in ipairs(parents) do
    if conditions.failed(obj, parent.conditions, required) then
      return false
    end
    seen = seen or conditions.current(obj, parent.conditions, "Accepted") == "True"
  end
  if #parents == 0 then
    return false
  end
  return seen or nil
end

local function keyOf(parent)
  local ref = parent.parentRef or {}
  return table.concat({
    ref.group or "", ref.kind or "", ref.namespace or "", ref.name or "", ref.sectionName or "",
    tostring(ref.port or ""), parent.controllerName or "",
  }, "/")
end

-- Adds clusters that report no parent at all to those of each parent.
local function silent(items, known)
  for _, item in ipairs(items) do
    if #kube.get(item, "status.parents", {}) == 0 then
      for _, each in pairs(known) do
        table.insert(each.parts, conditions.part(item))
      end
    end
  end
end

-- Each parent of all clusters once, with one condition of each type.
function route.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local order, known = {}, {}
  for _, item in ipairs(reports) do
    for _, parent in ipairs(item.status.parents or {}) do
      local key = keyOf(parent)
      if not known[key] then
        known[key] = { parent = parent, parts = {} }
        table.insert(order, key)
      end
      table.insert(known[key].parts, conditions.part(item, parent.conditions))
    end
  end
  silent(items, known)
  local parents = kube.list()
  for _, key in ipairs(order) do
    local parent = known[key].parent
    parent.conditions = conditions.merge(known[key].parts)
    table.insert(parents, parent)
  end
  obj.status = { parents = parents }
  return obj
end

-- Calls visit with each reference to a backend: of rules, and of filters that mirror requests.
local function backends(obj, visit)
  local function filtered(filters)
    for _, filter in ipairs(filters or {}) do
      local mirror = kube.get(filter, "requestMirror.backendRef")
      if mirror then
        visit(mirror)
      end
    end
  end
  for _, rule in ipairs(kube.get(obj, "spec.rules", {})) do
    filtered(rule.filters)
    for _, backend in ipairs(rule.backendRefs or {}) do
      visit(backend)
      filtered(backend.filters)
    end
  end
end

-- Gateways and Services, where they go along. Kinds of other groups have versions that a route
-- does not name.
function route.dependencies(obj)
  local all, namespace = kube.list(), kube.get(obj, "metadata.namespace", "default")
  if params.references == "apart" then
    return all
  end
  for _, ref in ipairs(kube.get(obj, "spec.parentRefs", {})) do
    if (ref.group or "gateway.networking.k8s.io") == "gateway.networking.k8s.io" and (ref.kind or "Gateway") == "Gateway" then
      local gateway = { apiVersion = "gateway.networking.k8s.io/v1", kind = "Gateway", name = ref.name }
      gateway.namespace = ref.namespace or namespace
      table.insert(all, gateway)
    end
  end
  backends(obj, function(ref)
    if (ref.group or "") == "" and (ref.kind or "Service") == "Service" then
      all = kube.concat(all, kube.references("Service", ref.namespace or namespace, ref.name))
    end
  end)
  return all
end

-- Reports whether two references name the same backend. The API server fills in kind and
-- group, so that a template may lack them.
local function same(own, there)
  local kind, namespace = own.kind or there.kind, own.namespace or there.namespace
  return own.name == there.name and kind == there.kind and namespace == there.namespace
end

-- Weights that the template does not name, or that it leaves to the member, are those that a
-- controller there has written, such as Argo Rollouts during a canary. Backends go together by
-- their place and name.
function route.retain(desired, observed)
  local leaves = kube.get(desired, { "metadata", "annotations", "interpreter.dragoman.io/retain-weights" }) == "true"
  local rules = kube.get(observed, "spec.rules", {})
  for i, rule in ipairs(kube.get(desired, "spec.rules", {})) do
    local there = kube.get(rules[i] or {}, "backendRefs", {})
    for k, backend in ipairs(rule.backendRefs or {}) do
      if (leaves or backend.weight == nil) and there[k] and same(backend, there[k]) then
        backend.weight = there[k].weight
      end
    end
  end
  return desired
end

return route
