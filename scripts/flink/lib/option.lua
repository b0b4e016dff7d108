-- An option of spec.flinkConfiguration by its name, such as state.checkpoints.dir. Since operator
-- 1.13 options may be nested, cut at any of the dots in their names.
local function option(all, name)
  if type(all) ~= "table" then
    return nil
  end
  local value = all[name]
  local dot = value == nil and string.find(name, ".", 1, true)
  while dot and value == nil do
    local inner = all[string.sub(name, 1, dot - 1)]
    value = type(inner) == "table" and option(inner, string.sub(name, dot + 1)) or nil
    dot = string.find(name, ".", dot + 1, true)
  end
  return value
end

return option
