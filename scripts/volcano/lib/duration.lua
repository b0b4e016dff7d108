-- The seconds of a duration as Go writes it: "2m30s" is 150.
local seconds = { h = 3600, m = 60, s = 1, ms = 1e-3, us = 1e-6, ["µs"] = 1e-6, ns = 1e-9 }

return function(text)
  local sum = 0
  for number, unit in string.gmatch(text, "([%d.]+)([^%d.]+)") do
    sum = sum + number * seconds[unit]
  end
  return sum
end
