-- Says that the controller has seen the spec as it is.
local function seen(obj)
  return kube.get(obj, "status.observedGeneration", 0) == kube.get(obj, "metadata.generation", 0)
end

return seen
