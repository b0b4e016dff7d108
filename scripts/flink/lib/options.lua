-- Flink's configuration as a whole, and options of it that are lists and maps.

local option = require("lib.option")

local options = {}

local function flatten(all, prefix, flat)
  for key, value in pairs(all) do
    flat[prefix .. key] = value
    if type(value) == "table" and value[1] == nil then
      flatten(value, prefix .. key .. ".", flat)
    end
  end
  return flat
end

-- A configuration with the whole names of options as keys, for who reads many of them; empty
-- for nil. An option that is a map is there as a map too.
function options.flat(all)
  return type(all) == "table" and flatten(all, "", {}) or {}
end

-- The parts of an option that is a list, in the order of the list: "a;b", or a list in YAML.
function options.list(all, name)
  local value = option(all, name)
  if type(value) == "table" then
    return value
  end
  local parts = {}
  for part in string.gmatch(tostring(value or ""), "[^;%s]+") do
    table.insert(parts, part)
  end
  return parts
end

-- The keys of an option that is a map, sorted: "a:x,b:y", a map in YAML, or one option for
-- each key, as <name>.a.
function options.keys(all, name)
  local keys, value = {}, option(all, name)
  if type(value) == "table" then
    for key in pairs(value) do
      table.insert(keys, key)
    end
  else
    for key in string.gmatch(tostring(value or ""), "([^,:%s]+):[^,]*") do
      table.insert(keys, key)
    end
  end
  for key in pairs(type(all) == "table" and all or {}) do
    if string.find(key, name .. ".", 1, true) == 1 then
      table.insert(keys, string.sub(key, #name + 2))
    end
  end
  table.sort(keys)
  return keys
end

return options
