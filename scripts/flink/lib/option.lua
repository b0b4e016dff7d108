-- An option by its name, such as state.checkpoints.dir. Newer operators take options nested
-- as well, cut at any of the dots in their names.
local function option(all, name)
  if type(all) ~= "table" then
    return nil
  end
  local value = all[name]
  local dot = value == nil and string.find(name, ".", 1, true)
  while dot and value == nil do
    value = option(all[string.sub(name, 1, dot - 1)], string.sub(name, dot + 1))
    dot = string.find(name, ".", dot + 1, true)
  end
  return value
end

return option
