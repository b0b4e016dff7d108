-- The pod templates in an object of any kind, known by their shape: a map with a list of
-- containers, wherever it is in the spec, such as spec.template.spec or
-- spec.template.spec.template.spec.

local pods = {}

-- How deep below the spec a template is looked for.
local deepest = 8

local function isPodSpec(part)
  local container = type(part.containers) == "table" and part.containers[1]
  return type(container) == "table" and type(container.name) == "string"
end

-- Objects inside others, as a manifest to be applied elsewhere, have a kind. Their pods are not
-- pods of this object.
local function isObject(part)
  return type(part.kind) == "string" and type(part.apiVersion) == "string"
end

local function find(part, depth, found)
  if isPodSpec(part) then
    table.insert(found, { spec = part })
  elseif depth > 0 and not isObject(part) then
    for _, below in pairs(part) do
      if type(below) == "table" then
        find(below, depth - 1, found)
      end
    end
  end
end

function pods.of(obj)
  local found = {}
  if type(obj.spec) == "table" then
    find(obj.spec, deepest, found)
  end
  return found
end

return pods
