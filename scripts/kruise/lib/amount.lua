-- A number of pods, or a share of them such as "20%", which may make no whole number.
return function(value, of)
  if type(value) == "string" then
    return tonumber(string.match(value, "^(%d+)%%$")) * of / 100
  end
  return value or 0
end
