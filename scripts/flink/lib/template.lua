-- The pod template of a component: the common one of the deployment, with the component's
-- own merged over it, as FlinkUtils.mergePodTemplates of the operator does (1.7 to 1.14).

local option = require("lib.option")

local byName = "kubernetes.operator.pod-template.merge-arrays-by-name"

local function isList(value)
  return type(value) == "table" and value[1] ~= nil
end

local mergeInto

-- The places of the items of a list by their names; nil where one has no name.
local function placesOf(list)
  local places = {}
  for i, item in ipairs(list) do
    if type(item) ~= "table" or item.name == nil then
      return nil
    end
    places[item.name] = i
  end
  return places
end

-- An item of from goes into that of its name, or by default into that of its place.
local function mergeLists(to, from, byNames)
  local places = byNames and placesOf(from) and placesOf(to)
  for i, item in ipairs(from) do
    local place = i
    if places then
      place = places[item.name] or #to + 1
    end
    if type(to[place]) == "table" and type(item) == "table" then
      mergeInto(to[place], item, byNames)
    else
      to[place] = item
    end
  end
end

-- A map is merged key by key; what is no map is replaced.
function mergeInto(to, from, byNames)
  for key, value in pairs(from) do
    local own = to[key]
    if isList(own) and isList(value) then
      mergeLists(own, value, byNames)
    elseif type(own) == "table" and type(value) == "table" then
      mergeInto(own, value, byNames)
    else
      to[key] = value
    end
  end
end

-- The pod of a component, such as spec.taskManager, as the operator has it before Flink adds
-- what it needs itself.
return function(spec, component)
  local own = kube.get(component, "podTemplate")
  local merged = kube.merge(nil, spec.podTemplate)
  if own then
    mergeInto(merged, own, tostring(option(spec.flinkConfiguration, byName)) == "true")
  end
  return merged
end
