local function shown(v, depth)
  local kind = type(v)
  if kind == "number" then
    if v ~= v then
      return "nan"
    elseif v == 0 then
      return "0"
    end
    return string.format("%.17g", v)
  elseif kind == "string" then
    return '"' .. string.gsub(v, '[%c"\\\127-\255]', function(c)
      return string.format("\\%03d", string.byte(c))
    end) .. '"'
  elseif kind ~= "table" then
    return kind == "function" and kind or tostring(v)
  elseif depth > 5 then
    return "{...}"
  end
  local parts, rest, n = {}, {}, 0
  while v[n + 1] ~= nil do
    n = n + 1
    parts[n] = shown(v[n], depth + 1)
  end
  for k, e in pairs(v) do
    if type(k) ~= "number" or k < 1 or k > n or k ~= math.floor(k) then
      rest[#rest + 1] = "[" .. shown(k, depth + 1) .. "]=" .. shown(e, depth + 1)
    end
  end
  table.sort(rest)
  for _, e in ipairs(rest) do
    parts[#parts + 1] = e
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function answer(ok, ...)
  if not ok then
    print("error")
    return
  end
  local parts = {}
  for i = 1, select("#", ...) do
    parts[i] = shown((select(i, ...)), 0)
  end
  print("= " .. table.concat(parts, " "))
end
