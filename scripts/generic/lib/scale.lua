-- The number of replicas, where the scale subresource of the kind has it.

local scale = {}

-- The number; nil where there is none, as in an object whose operator has a default.
function scale.of(obj)
  local number = kube.get(obj, params.replicasPath)
  if type(number) == "number" and number >= 0 and number == math.floor(number) then
    return number
  end
  return nil
end

-- The object with another number. A field that is not there is not made.
function scale.to(obj, number)
  if not scale.of(obj) then
    return obj
  end
  local map, last = nil, nil
  for key in string.gmatch(params.replicasPath, "[^.]+") do
    map, last = last and map[last] or obj, key
  end
  map[last] = number
  return obj
end

return scale
